-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Work for the interpreter: tables, strings, closures, coroutines, metatables, errors.
local rounds = tonumber(arg and arg[1]) or 20

local function sieve(n)
	local composite, count = {}, 0
	for i = 2, n do
		if not composite[i] then
			count = count + 1
			for j = i * i, n, i do composite[j] = true end
		end
	end
	return count
end

local function queens(n)
	local found, columns, up, down = 0, {}, {}, {}
	local function place(row)
		if row > n then found = found + 1 return end
		for c = 1, n do
			if not (columns[c] or up[row + c] or down[row - c + n]) then
				columns[c], up[row + c], down[row - c + n] = true, true, true
				place(row + 1)
				columns[c], up[row + c], down[row - c + n] = nil, nil, nil
			end
		end
	end
	place(1)
	return found
end

local function words(text)
	local counts = {}
	for word in text:gmatch("%a+") do counts[word:lower()] = (counts[word:lower()] or 0) + 1 end
	local list = {}
	for word, n in pairs(counts) do list[#list + 1] = ("%s=%d"):format(word, n) end
	table.sort(list)
	return table.concat(list, ",")
end

local function produce(n)
	return coroutine.wrap(function() for i = 1, n do coroutine.yield(i * i) end end)
end

local vector = {}
vector.__index = vector
vector.__add = function(a, b) return setmetatable({a[1] + b[1], a[2] + b[2]}, vector) end
vector.__tostring = function(v) return "(" .. v[1] .. ";" .. v[2] .. ")" end

for round = 1, rounds do
	local squares = 0
	for square in produce(50) do squares = squares + square end
	local v = setmetatable({0, round}, vector)
	for i = 1, 100 do v = v + setmetatable({i, 1}, vector) end
	local caught = 0
	for i = 1, 40 do
		local fine, problem = pcall(function() if i % 4 == 0 then error({code = i}) end return i end)
		caught = caught + (fine and problem or problem.code * 100)
	end
	local chunk = load("local x = ... ; return x // 3 | x << 2 ~ 5, #tostring(x), x % 7.5")
	print(round, sieve(2000 + round), queens(6), squares, tostring(v), caught, chunk(round * 1001))
	print(words("The way that can be told is not the way; the path that is walked is counted " .. round))
	print(("%5.2f|%-8s|%x|%q"):format(math.sin(round), "left", round * 255, "a\nb"), ("abc"):rep(3, "-"), ("x"):byte())
end
collectgarbage()
print("ok")
