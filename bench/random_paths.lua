-- Asks for paths drawn at random from a file: wrk -s random_paths.lua URL -- FILE SEED
-- The file is written by workloads.py, so that both load generators draw from the same days.

local requests = {}

function init(args)
   math.randomseed(tonumber(args[2]))
   for path in io.lines(args[1]) do
      requests[#requests + 1] = wrk.format("GET", path) -- once, not for every call
   end
end

function request()
   return requests[math.random(#requests)]
end
