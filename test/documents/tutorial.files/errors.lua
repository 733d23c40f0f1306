local good, bad = 0, 0
local function f(i) if i % 3 == 0 then error("every third") end end
for i = 1, 3000 do
  if pcall(f, i) then good = good + 1 else bad = bad + 1 end
end
print(good, bad)
