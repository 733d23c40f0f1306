-- features.lua SEED: prints what some features of Lua compute, chosen by the seed, with arguments chosen by the seed.
local seed = tonumber(arg[1])
local function choose(n)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed // 65536 % n
end
local words = {"alpha", "bee", "see", "delta", "eff"}
local function word() return words[choose(#words) + 1] end
local features = {
  function() local w = word() print(w:sub(1, -1 - choose(5)), w:sub(-1 - choose(4))) end,
  function() print((word():gsub("[" .. ("abd"):sub(choose(3) + 1) .. "-" .. "s]", "."))) end,
  function() print(("x(" .. ("("):rep(choose(3)) .. "y" .. (")"):rep(3)):match("%b()")) end,
  function() print((word() .. "123"):find("e*" .. ({"l", "e", "f", "1"})[choose(4) + 1])) end,
  function() local t = {} for i = 1, choose(4) do t[i] = word() end print(table.concat(t, "-")) end,
  function() local t = {1, 2, 3, 4, 5} print(table.concat(table.move(t, 1, 3, 1 + choose(4)), " ")) end,
  function() local t = {} for i = 1, choose(7) do t[i] = choose(100) end table.sort(t) print(table.concat(t, " ")) end,
  function() print(math.abs(choose(3) - 1), math.max(choose(9), choose(9)), math.min(choose(9), 4)) end,
  function() print((choose(7) - 3) * 1.0, choose(9) / 2) end,
  function() print((choose(19) - 9) // (choose(3) + 2), (choose(9) - 9) // 2, (choose(19) - 9) % 5) end,
  function() print(string.format("%5d|%-6s|%x|%q", choose(1000), word(), choose(256), word())) end,
  function() local s = 0 for i = 1, choose(50) do s = s + i end print(s) end,
  function() local t = setmetatable({}, {__index = function(_, k) return k .. "!" end}) print(t[word()]) end,
  function() print(pcall(error, {code = choose(9)}) and "no" or "caught", tostring(nil), #word()) end,
  function() local co = coroutine.wrap(function(n) for i = 1, n do coroutine.yield(i) end end) print(co(choose(3) + 1), co()) end,
  function() print(tonumber("0x" .. choose(99)), tonumber("  " .. choose(99) .. "e1"), tonumber("z")) end,
  function() print(select("#", table.unpack({1, 2, 3}, 1, choose(3))), word():upper(), word():rep(choose(3), ",")) end,
  function() goto done do print("never") end ::done:: print(word():byte(1, -1)) end,
}
for _ = 1, 6 do features[choose(#features) + 1]() end
