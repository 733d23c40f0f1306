-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Calls, tables, strings and closures.
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end

local function sorted(n)
	local t = {}
	for i = 1, n do t[i] = (i * 7919) % 100003 end
	table.sort(t)
	table.sort(t, function(a, b) return a > b end)
	return t[n // 2]
end

local function words(n)
	local parts = {}
	for i = 1, n do parts[#parts + 1] = ("%d:%s"):format(i, ("x"):rep(i % 7)) end
	local text, count = table.concat(parts, ","), 0
	for word in text:gmatch("%d+:x+") do count = count + #word end
	return count, (text:gsub("x+", string.upper)):len()
end

local function queens(n)
	local found, rows, up, down = 0, {}, {}, {}
	local function place(column)
		if column > n then found = found + 1 return end
		for row = 1, n do
			if not rows[row] and not up[row + column] and not down[row - column] then
				rows[row], up[row + column], down[row - column] = true, true, true
				place(column + 1)
				rows[row], up[row + column], down[row - column] = nil, nil, nil
			end
		end
	end
	place(1)
	return found
end

print(fib(30), sorted(200000), queens(8))
print(words(150000))
print(select(2, pcall(error, "caught")))
