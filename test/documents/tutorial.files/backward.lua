local n = 100000
local t = {}
for i = n, 1, -1 do t[i] = i end
local sum = 0
for i = 1, n do sum = sum + t[i] end
print(sum)
