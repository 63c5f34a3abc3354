-- SPDX-License-Identifier: Apache-2.0
-- The bulk of the soak: requests of a list, in any order. Arguments: the list (method, target and body in a line, parted by tabs), a bearer token,
-- a seed. Every hundredth request closes its connection, every fiftieth has no credentials.
local threads = {}

function setup(thread)
    thread:set("number", #threads + 1)
    table.insert(threads, thread)
end

function init(args)
    math.randomseed(tonumber(args[3]) + number)
    count, samples, asked, prepared = {}, {}, 0, {}
    for line in io.lines(args[1]) do
        local method, target, body = line:match("^(%S+)\t(%S+)\t(.*)$")
        local headers = { Authorization = "Bearer " .. args[2], Accept = "application/vnd.svc.2025-03-12+json" }
        if body ~= "" then
            headers["Content-Type"] = "application/json"
        end
        local usual = wrk.format(method, target, headers, body ~= "" and body or nil)
        headers["Connection"] = "close"
        local last = wrk.format(method, target, headers, body ~= "" and body or nil)
        table.insert(prepared, { usual, last, wrk.format(method, target, { Accept = headers.Accept }) })
    end
end

function request()
    asked = asked + 1
    local one = prepared[math.random(#prepared)]
    return asked % 100 == 0 and one[2] or asked % 50 == 0 and one[3] or one[1]
end

function response(status, _, body)
    count[status] = (count[status] or 0) + 1
    if status >= 500 and status ~= 501 and count[status] <= 3 then
        io.stderr:write(string.format("%d %s\n", status, body))
    end
end

function done(summary)
    local all, parts = {}, {}
    for _, thread in ipairs(threads) do
        for status, times in pairs(thread:get("count")) do
            all[status] = (all[status] or 0) + times
        end
    end
    for status, times in pairs(all) do
        table.insert(parts, string.format('"%d": %d', status, times))
    end
    local errors = summary.errors
    io.write(string.format('\n{"requests": %d, "statuses": {%s}, "broken": %d}\n', summary.requests, table.concat(parts, ", "),
        errors.connect + errors.read + errors.write + errors.timeout))
end
