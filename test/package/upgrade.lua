-- SPDX-License-Identifier: Apache-2.0
-- What clients ask for while nodes are upgraded: mostly reads, some writes, and now and then a new connection.
-- Arguments: how many requests a connection is used for, what keys of idempotency begin with, organization, bearer token, projects.
local threads = {}

function setup(thread)
    thread:set("number", #threads + 1)
    table.insert(threads, thread)
end

function init(args)
    uses, prefix, organization, token, projects = tonumber(args[1]), args[2], args[3], args[4], {}
    for i = 5, #args do
        table.insert(projects, args[i])
    end
    asked, count = 0, {}
end

local function headers(more)
    local all = { ["Authorization"] = "Bearer " .. token, ["Accept"] = "application/vnd.svc.2025-03-12+json" }
    for name, value in pairs(more) do
        all[name] = value
    end
    return all
end

function request()
    asked = asked + 1
    local more, project = {}, projects[math.random(#projects)]
    if asked % uses == 0 then
        more["Connection"] = "close"
    end
    if asked % 40 == 7 then
        more["Content-Type"] = "application/json"
        more["Idempotency-Key"] = string.format("%s-%d-%d", prefix, number, asked)
        local body = string.format('[{"ipAddress": "198.51.100.%d", "comment": "%d"}]', asked % 100, asked)
        return wrk.format("POST", "/api/svc/v2/groups/" .. project .. "/accessList", headers(more), body)
    end
    if asked % 40 == 27 then
        more["Content-Type"] = "application/json"
        local body = string.format('{"tags": [{"key": "asked", "value": "%d-%d"}]}', number, asked)
        return wrk.format("PATCH", "/api/svc/v2/groups/" .. project, headers(more), body)
    end
    if asked % 2 == 0 then
        return wrk.format("GET", "/api/svc/v2/orgs/" .. organization, headers(more))
    end
    return wrk.format("GET", "/api/svc/v2/groups/" .. project, headers(more))
end

function response(status, _, body)
    count[status] = (count[status] or 0) + 1
    if status >= 300 and count[status] <= 3 then
        io.stderr:write(string.format("%d %s\n", status, body))
    end
end

function done(summary, latency)
    local all = {}
    for _, thread in ipairs(threads) do
        for status, times in pairs(thread:get("count")) do
            all[status] = (all[status] or 0) + times
        end
    end
    local parts = {}
    for status, times in pairs(all) do
        table.insert(parts, string.format('"%d": %d', status, times))
    end
    local errors = summary.errors
    io.write(string.format('{"requests": %d, "seconds": %.1f, "statuses": {%s}, "p50": %.1f, "p99": %.1f, "longest": %.0f, ' ..
        '"connect": %d, "read": %d, "write": %d, "timeout": %d}\n', summary.requests, summary.duration / 1e6, table.concat(parts, ", "),
        latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000,
        errors.connect, errors.read, errors.write, errors.timeout))
end
