# SPDX-License-Identifier: Apache-2.0
"""Every field of every request body, wrong in every way that the tables allow to be wrong, and right at its bounds.

The fields come from `reeved catalog --json`. A refusal must be the five-field document and name the field; nothing may
be answered with 5xx, and, since everything is asked with dryRun=true, nothing may change. Operations that wait are judged as
the others are: what is wrong is refused, and 501 stands for success. For those that are refused by design their own error does.
"""
import copy
import json
import re
import sys
import time

from exchange_federation import certificate
from measurements import MonitorStore, seed_now
from suite import Contract, Suite, ends_on_signal
from world import PREFIX, World, catalog, changed_tables, connect, dry_status, forms_of, needed_query, row_hashes, sql, start_node, value_of_form, values_for

MEBIBYTE = 1024 * 1024
OPTIONAL = "optional"  # a status: success, or 400 that names what is missing
RAW = "@@raw@@"  # stands in a body for bytes that json.dumps would not write

# ---- Values ----
LETTERS = "abcdefghijklmnopqrstuvwxyz"
WRONG_TYPES = {
    "a text": "text", "an integer": 7, "a number": 1.5, "a boolean": True, "an object": {"a": 1}, "an array": ["a"],
    "an empty object": {}, "an empty array": [], "an empty text": "",
}
WRITTEN_AS_TEXT = ("text", "date", "id", "cidr")

# Fields that hold the name of something that must exist, text of another language, or what must agree with other fields: not
# every value within the bounds will do.
MEANS_SOMETHING = re.compile(r"(^|[.])(roles\[0\][.]roleName|inheritedRoles\[0\][.]role|caCertificate|clientCertificate|clientKey|cas|auditFilter|"
                             r"otelSuppliedHeaders|providerName|backingProviderName|cloudProvider|regionName|region|supportedRemoteRegions|instanceSize|dbMajorVersion|diskSizeGB|regionConfigs|serviceCidrBlock|issuerUri|ssoUrl|content|frequencyInterval|policyItems|assertions|scheduledPolicyItems|copySettings|trustedIdentities|containerId|routeTableCidrBlock|furtherCidrBlocks|gatewayPublicKey|gatewayEndpoint|policies\[0\][.]body)$")
SPECS = [{"zoneName": "z", "regionConfigs": [{"providerName": "ONPREM", "regionName": "EU_NORTH", "priority": 7,
                                              "electableSpecs": {"instanceSize": "M10", "nodeCount": 3, "diskSizeGB": 10},
                                              "readOnlySpecs": {"instanceSize": "M10", "nodeCount": 1, "diskSizeGB": 10}}]}]
CLUSTER = {"clusterType": "REPLICASET", "dbMajorVersion": "17", "paused": False, "replicationSpecs": SPECS,
           "backupEnabled": False, "pitEnabled": False, "globalClusterSelfManagedSharding": False}  # true needs a repository host, or is not offered
# Fields that only some values of another field take.
NEVER_TAKEN = {"metricThreshold"}
FUTURE = "2099-01-01T00:00:00Z"
ROLES_OF_USER = [{"roleName": "readWrite", "databaseName": "shop", "collectionName": "orders"}]
ROLE = {"actions": [{"action": "FIND", "resources": [{"db": "shop", "collection": "orders", "cluster": False}]}],
        "inheritedRoles": [{"role": "read", "db": "shop"}]}
# Parts of bodies that depend on each other.
PARTS = {
    "createGroupCluster": CLUSTER,
    "updateGroupCluster": CLUSTER,
    "validateGroupClusterConfigurations": {"clusterDescription": {"name": "new", **CLUSTER}},
    "tenantGroupFlexClusterUpgrade": {"name": "small", **CLUSTER},
    "upgradeGroupClusterTenantUpgrade": {"name": "small", **CLUSTER},
    "createGroupFlexCluster": {"providerSettings": {"backingProviderName": "ONPREM", "regionName": "EU_NORTH"}},
    "createContainer": {"providerName": "ONPREM", "regionName": "EU_NORTH", "serviceCidrBlock": "10.91.4.0/24"},
    "updateContainer": {"providerName": "ONPREM", "regionName": "EU_SOUTH", "serviceCidrBlock": "10.92.2.0/24"},
    "startGroupClusterOutageSimulation": {"outageFilters": [{"cloudProvider": "ONPREM", "regionName": "EU_SOUTH", "type": "REGION"}]},
    "grantGroupClusterVendorEmployeeAccess": {"expirationTime": FUTURE},
    "pinGroupClusterFeatureCompatibilityVersion": {"expirationDate": FUTURE},
    "createFederationSettingIdentityProvider": {"issuerUri": "https://login.example.org", "status": "INACTIVE"},
    "updateFederationSettingIdentityProvider": {"issuerUri": "https://login.example.org", "status": "INACTIVE"},
    "createGroupDatabaseUser": {"roles": ROLES_OF_USER},
    "updateGroupDatabaseUser": {"roles": ROLES_OF_USER},
    "createGroupCustomDbRoleRole": ROLE,
    "updateGroupCustomDbRoleRole": ROLE,
}


TEMPLATES = ("bodyTemplate", "webhookBodyTemplate")  # JSON, in a text


def text_of(length):
    return (LETTERS * (length // len(LETTERS) + 1))[:length]


def takes(field, text):
    """Whether the pattern takes a text; what Python does not know of patterns is written in ranges."""
    # Passwords of database users, which have a least length, are ASCII.
    pattern = field.get("pattern") or ("[ -~]*" if field["name"] == "password" and field["min"] else ".*")
    for name, ranges in ((r"\p{L}", "A-Za-z\u00c0-\u024f"), (r"\p{N}", "0-9"), (r"\p{M}", "\u0300-\u036f")):
        pattern = pattern.replace(name, ranges)
    return re.fullmatch(pattern, text) is not None


def is_mail(field):
    return "}@[" in (field.get("pattern") or "")


def mail_of(length, letter="a"):
    """An e-mail address of that length; a local part has at most 64 characters."""
    local = min(64, length - 2)
    return letter * local + "@" + letter * (length - local - 1)


def host_of(length):
    """A host name of that length. One without a dot is of the inside, and refused (S11)."""
    return (("x" * 49 + ".") * 6)[:length - 4] + ".org"


def valid_value(field, known, number=0):
    """A value that the field takes, as long as it may be short. `number` is which kind an object with several kinds has."""
    name, kind = field["name"], field["type"]
    if name in known:
        return known[name]
    if "oneOf" in field and kind != "list":
        return variant_of(field, number) if "variants" in field else field["oneOf"][0]
    if kind == "text" and name in ("body", *TEMPLATES) and field.get("example"):
        return field["example"]  # a condition of a policy
    if kind == "text":
        text = mail_of(12) if is_mail(field) else text_of(max(field["min"], 4))
        return text if takes(field, text) else field.get("example", text)
    if kind in ("integer", "number"):
        return field["min"] or min(1, field["max"] or 1)
    if kind == "boolean":
        return True
    if kind == "date":
        return "2025-03-12T10:15:30Z"
    if kind == "id":
        return "650000000000000000000001"
    if kind == "cidr":
        return "10.0.0.0/8"
    if kind == "object":
        return valid_body(field.get("of", []), known, number=number)
    return [item_of(field, known, place, number) for place in range(max(field["min"], 1))]


def item_of(field, known, place=0, number=0):
    if "of" in field:
        return valid_body(field["of"], known, number=number)
    if "oneOf" in field:
        return field["oneOf"][place % len(field["oneOf"])]
    if field.get("pattern") and not takes(field, text_of(4)) and field.get("example"):
        return field["example"][0]
    return valid_value({"name": "", "type": field.get("item", "text"), "min": 0, "max": 0}, known)


def is_sent(field, mode):
    return not field["readOnly"] and not (field["createOnly"] and mode != "create")


# ---- Objects of several kinds: a field decides which further fields there are ----
def variant_of(field, number):
    return field["oneOf"][number % len(field["oneOf"])]


def with_further(fields, number):
    """The fields of an object of that kind."""
    further = [f for field in fields if "variants" in field for f in field["variants"][variant_of(field, number)]]
    return fields + further


def count_kinds(fields, depth=0):
    """How many numbers lead to every kind of every object in it."""
    counts = [1]
    for field in fields if depth < 8 else ():
        counts.append(count_kinds(field.get("of", []), depth + 1))
        for further in field.get("variants", {}).values():
            counts.append(max(len(field["oneOf"]), count_kinds(further, depth + 1)))
    return max(counts)


def valid_body(fields, known, mode="create", number=0):
    return {field["name"]: valid_value(field, known, number) for field in with_further(fields, number)
            if is_sent(field, mode) and field["name"] not in NEVER_TAKEN}


def fits(field, kind_value):
    """Whether a JSON value has the type that the field wants."""
    kind = field["type"]
    if kind == "boolean":
        return isinstance(kind_value, bool)
    if isinstance(kind_value, bool):
        return False
    if kind == "integer":
        return isinstance(kind_value, int)
    if kind == "number":
        return isinstance(kind_value, (int, float))
    if kind == "object":
        return isinstance(kind_value, dict)
    if kind == "list":
        return isinstance(kind_value, list)
    return isinstance(kind_value, str)


# ---- Where a field is ----
class Place:
    """A field in a body: the way to it, and how the API writes that."""

    def __init__(self, way, field, mode):
        self.way, self.field, self.mode = way, field, mode
        self.text = ""
        for step in way:
            self.text += "[%d]" % step if isinstance(step, int) else ("." if self.text else "") + step

    def outer(self, body):
        for step in self.way[:-1]:
            body = body[step]
        return body

    def is_possible(self, body):
        """Whether the body has what the field would be in."""
        try:
            return self.outer(body) is not None
        except (KeyError, IndexError):
            return False

    def is_in(self, body):
        return self.is_possible(body) and self.way[-1] in self.outer(body)

    def put(self, body, value):
        changed = copy.deepcopy(body)
        self.outer(changed)[self.way[-1]] = value
        return changed

    def remove(self, body):
        changed = copy.deepcopy(body)
        del self.outer(changed)[self.way[-1]]
        return changed

    def beside(self, name):
        """How the API would write a field of that name next to this one."""
        return Place(self.way[:-1] + (name,), self.field, self.mode).text


def places(fields, mode, way=(), number=0):
    for field in with_further(fields, number):
        here = way + (field["name"],)
        yield Place(here, field, mode)
        if not is_sent(field, mode) or "of" not in field:
            continue
        if field["type"] == "list":
            # A list is replaced as a whole, so its items are always as created.
            yield from places(field["of"], "create", here + (0,), number)
        else:
            yield from places(field["of"], mode, here, number)


# ---- Cells: (what, bytes, status, code, name of the field or None) ----
def dump(body):
    return json.dumps(body, ensure_ascii=False).encode()


def with_raw(place, body, raw):
    """The body with bytes of any kind at this place."""
    return dump(place.put(body, RAW)).replace(json.dumps(RAW).encode(), raw)


def nested(depth):
    return b"[" * depth + b"]" * depth


def refused(what, body, place, code="INVALID_ATTRIBUTE_VALUE", named=None):
    return what, body if isinstance(body, bytes) else dump(body), 400, code, named or place.text


def not_json(what, body):
    return what, body, 400, "INVALID_JSON", None


def taken(what, body):
    return what, body if isinstance(body, bytes) else dump(body), None, None, None


def cells_of_field(place, body):
    field = place.field
    yield refused("an unknown field beside it", place.put(body, "x") if not is_sent(field, place.mode) else
                  Place(place.way[:-1] + (field["name"] + "x",), field, place.mode).put(body, 1), place,
                  *(("UNMODIFIABLE_ATTRIBUTE",) if not is_sent(field, place.mode) else
                    ("INVALID_ATTRIBUTE", place.beside(field["name"] + "x"))))
    if not is_sent(field, place.mode):
        for value in (None, 1, "text", [], {}):
            yield refused("sent although it cannot be set: %r" % (value,), place.put(body, value), place, "UNMODIFIABLE_ATTRIBUTE")
        return
    if field["required"] and place.mode == "create":
        yield refused("missing", place.remove(body), place, "MISSING_ATTRIBUTE")
    elif place.is_in(body) and not ("variants" in field and place.outer(body)[field["name"]] != field.get("default")):
        # The operation may need at least one of several fields; then it says which. Without what decides, other fields are wrong.
        yield "left out", dump(place.remove(body)), OPTIONAL, None, None
    yield (taken if field["nullable"] else lambda what, b: refused(what, b, place))("null", place.put(body, None))
    for what, value in WRONG_TYPES.items():
        if not fits(field, value):
            yield refused(what, place.put(body, value), place)
    yield from cells_of_bounds(place, body)
    yield from cells_of_writing(place, body)
    yield from cells_of_bytes(place, body)


def cells_of_bounds(place, body):
    field, kind, low, high = place.field, place.field["type"], place.field["min"], place.field["max"]
    bounded = low != 0 or high != 0
    if kind == "text" and is_mail(field):
        yield taken("as long as may be", place.put(body, mail_of(high)))
        yield taken("as long as may be in characters of two bytes", place.put(body, mail_of(high, "é")))
        yield refused("one character too long", place.put(body, mail_of(high + 1)), place)
        yield refused("without an at sign", place.put(body, text_of(12)), place)
    elif kind == "text" and field["name"] == "url":
        yield taken("as long as may be", place.put(body, "https://hooks.example.org/" + text_of(high - 26)))
        yield refused("one character too long", place.put(body, "https://hooks.example.org/" + text_of(high - 25)), place)
        yield refused("not https", place.put(body, "http://" + text_of(20)), place)
    elif kind == "text" and field["name"] in TEMPLATES:
        yield taken("as long as may be", place.put(body, '{"a": "%s"}' % text_of(high - 9)))
        yield refused("one character too long", place.put(body, '{"a": "%s"}' % text_of(high - 8)), place)
        yield refused("no JSON", place.put(body, "x"), place)
        yield refused("empty", place.put(body, ""), place)
    elif kind == "text" and field["name"] == "hostname":
        yield taken("as long as may be", place.put(body, host_of(high)))
        yield refused("one character too long", place.put(body, "x" + host_of(high)), place)
        yield refused("empty", place.put(body, ""), place)
        if place.text == "ldap.hostname":  # others are not connected to, or judged by a worker
            yield refused("without a dot", place.put(body, "x"), place)
    elif kind == "text" and "oneOf" not in field:
        if bounded and low > 0:
            yield refused("one character too short", place.put(body, text_of(low - 1)), place)
            if not MEANS_SOMETHING.search(place.text) and takes(field, text_of(low)):
                yield taken("as short as may be", place.put(body, text_of(low)))
        if high:
            if not MEANS_SOMETHING.search(place.text):
                for what, text in (("as long as may be", text_of(high)), ("as long as may be in characters of two bytes", "é" * high)):
                    if takes(field, text):
                        yield taken(what, place.put(body, text))
                    else:
                        yield refused(what, place.put(body, text), place)
            yield refused("one character too long", place.put(body, text_of(high + 1)), place)
    elif kind in ("integer", "number") and bounded:
        yield refused("one too small", place.put(body, low - 1), place)
        if not MEANS_SOMETHING.search(place.text):
            yield taken("as small as may be", place.put(body, low))
            yield taken("as large as may be", place.put(body, high))
        yield refused("one too large", place.put(body, high + 1), place)
        yield refused("negative", place.put(body, -1), place)
    elif kind == "list":
        item = place.outer(body)[place.way[-1]][0] if place.is_in(body) else valid_value(field, {})[0]
        if low:
            yield refused("one item too few", place.put(body, [item] * (low - 1)), place)
            yield taken("as few items as may be", place.put(body, [item] * low))
        if high and not MEANS_SOMETHING.search(place.text):
            yield taken("as many items as may be", place.put(body, [item] * high))
        if high:
            yield refused("one item too many", place.put(body, [item] * (high + 1)), place)
        for what, value in (("null", None), ("an integer", 1), ("an array", []), ("a boolean", True)):
            first = Place(place.way + (0,), field, place.mode)
            yield refused("an item that is " + what, place.put(body, [value]), first)


def cells_of_kinds(place, body):
    """A field that only another kind has."""
    field, inside = place.field, place.outer(body)
    own = {f["name"] for f in field["variants"].get(inside.get(field["name"]), [])} | set(inside)
    for kind, further in field["variants"].items():
        for other in further:
            if other["name"] not in own:
                own.add(other["name"])
                strange = Place(place.way[:-1] + (other["name"],), other, place.mode)
                yield refused("a field of %s" % kind, strange.put(body, valid_value(other, {})), strange, "INVALID_ATTRIBUTE")


def cells_of_writing(place, body):
    field = place.field
    if "oneOf" in field:
        if field["type"] == "list":
            yield refused("an item that is not one of the texts", place.put(body, ["NO_SUCH_TEXT"]),
                          Place(place.way + (0,), field, place.mode))
        else:
            yield refused("not one of the texts", place.put(body, "NO_SUCH_TEXT"), place)
            yield refused("in another case", place.put(body, field["oneOf"][0].swapcase()), place)
    if "variants" in field and is_sent(field, place.mode):
        yield from cells_of_kinds(place, body)
    if field.get("pattern"):
        for text in ("a<b", "a\tb", "a\nb", "a\x7fb", "a\u202eb", "a\u0000b"[:1] + "\x01b"):
            if not takes(field, text):
                yield refused("a character that the pattern does not allow: %r" % text, place.put(body, text), place)
    wrong = {"date": ("2025-02-30T00:00:00Z", "yesterday", "2025-03-12T25:00:00Z", ""),
             "id": ("65000000000000000000000", "6500000000000000000000011", "65000000000000000000000G", "650000000000000000000ABC", ""),
             "cidr": ("10.0.0.1/8", "10.0.0.0/33", "300.1.1.1", "::1/129", "example.org", "")}
    for text in wrong.get(field["type"], ()):
        yield refused("written wrongly: %r" % text, place.put(body, text), place)


def cells_of_bytes(place, body):
    field = place.field
    long_text = place.put(body, "a" * 65536)
    if field["type"] == "text" and not field["max"] and not field.get("pattern") and "oneOf" not in field:
        yield taken("64 KiB", long_text)
    else:
        yield refused("64 KiB", long_text, place)
    yield not_json("NUL escaped", with_raw(place, body, b'"a\\u0000b"'))
    yield not_json("NUL as it is", with_raw(place, body, b'"a\x00b"'))
    yield not_json("a lone high surrogate", with_raw(place, body, b'"a\\ud800b"'))
    yield not_json("a lone low surrogate", with_raw(place, body, b'"a\\udc00b"'))
    yield not_json("surrogates as UTF-8", with_raw(place, body, b'"\xed\xa0\x80"'))
    yield not_json("no UTF-8", with_raw(place, body, b'"\xff\xfe"'))
    yield not_json("overlong UTF-8", with_raw(place, body, b'"\xc0\xaf"'))
    yield not_json("1e309", with_raw(place, body, b"1e309"))
    yield not_json("-1e309", with_raw(place, body, b"-1e309"))
    yield not_json("2^64", with_raw(place, body, b"18446744073709551616"))
    yield not_json("NaN", with_raw(place, body, b"NaN"))
    yield not_json("a number with a leading zero", with_raw(place, body, b"01"))
    for what, raw in (("2^53 + 1", b"9007199254740993"), ("1e308", b"1e308"), ("-0.0", b"-0.0")):
        value = json.loads(raw)
        within = not field["max"] or field["min"] <= value <= field["max"]
        if field["type"] in ("integer", "number") and within and fits(field, value):
            yield taken(what, with_raw(place, body, raw))
        else:
            yield refused(what, with_raw(place, body, raw), place)
    # The key stands twice, next to each other, in the object that it belongs to.
    key = json.dumps(field["name"]).encode()
    marked = dump(place.put(body, RAW))
    yield "duplicate key", marked.replace(json.dumps(RAW).encode(), b"1," + key + b":1"), 400, "INVALID_JSON", field["name"]
    depth = len(place.way)  # what stands around the value
    yield not_json("33 levels deep", with_raw(place, body, nested(33 - depth)))
    yield refused("32 levels deep", with_raw(place, body, nested(32 - depth)),
                  Place(place.way + (0,), field, place.mode) if field["type"] == "list" and not field["min"] > 1 else place)
    yield not_json("100,000 levels deep", with_raw(place, body, nested(100000)))


MOST_WRONG_FIELDS = 20  # of ERROR_MAX_WRONG_FIELDS: so many are named in one answer


def cells_of_body(body, mode, is_list):
    """What is wrong with the body as a whole."""
    good = dump(body)
    yield taken("as it should be", good)
    yield not_json("empty", b"")
    yield not_json("spaces", b"   \r\n")
    if is_list:
        yield not_json("an object", dump(body[0]))
        yield "an array of it", b"[" + good + b"]", 400, "INVALID_ATTRIBUTE_VALUE", "[0]"
        yield "an item that is null", b"[null]", 400, "INVALID_ATTRIBUTE_VALUE", "[0]"
        yield "an item that is wrong behind one that is not", good[:-1] + b',{"nothing":1}]', 400, "INVALID_ATTRIBUTE", "[1].nothing"
        yield taken("of 200 items", b"[" + b",".join([dump(body[0])] * 200) + b"]")
        yield not_json("of 201 items", b"[" + b",".join([dump(body[0])] * 201) + b"]")
    else:
        yield not_json("an array of it", b"[" + good + b"]")
    for what, text in (("an empty array", b"[]"), ("null", b"null"), ("a text", b'"text"'),
                       ("a number", b"1"), ("true", b"true"), ("cut off", good[:-1]), ("followed by more", good + b"{}"),
                       ("followed by a comma", good + b","), ("with a comma too many", good[:-1] + b"," + good[-1:]), ("with a comment", b"/**/" + good),
                       ("in single quotes", b"{'name': 'x'}"), ("with a BOM", b"\xef\xbb\xbf" + good), ("in UTF-16", good.decode().encode("utf-16")),
                       ("100,000 arrays deep", nested(100000)), ("100,000 objects deep", b'{"a":' * 100000 + b"1" + b"}" * 100000),
                       ("an array that never ends", b"[" * 100000), ("NUL behind it", good + b"\x00")):
        yield not_json(what, text)
    yield taken("with spaces around it", b" \n\t" + good + b"\r\n ")
    yield taken("of exactly 1 MiB", good + b" " * (MEBIBYTE - len(good)))
    yield "of 1 MiB and one byte", good + b" " * (MEBIBYTE + 1 - len(good)), 413, "BODY_TOO_LARGE", None
    yield "of 3 MiB", good + b" " * (3 * MEBIBYTE), 413, "BODY_TOO_LARGE", None
    if is_list:
        return
    if mode == "update":
        yield taken("an object without anything", b"{}")
    yield ("an unknown field with a very long name", dump({**body, "x" * 100000: 1}), 400, "INVALID_ATTRIBUTE", None)
    yield ("an unknown field without a name", dump({**body, "": 1}), 400, "INVALID_ATTRIBUTE", "")
    yield ("a field of JavaScript's prototype", dump({**body, "__proto__": {}}), 400, "INVALID_ATTRIBUTE", "__proto__")
    yield ("links, as they were answered", dump({**body, "links": []}), 400, "INVALID_ATTRIBUTE", "links")
    yield ("three unknown fields", dump({**body, "xOne": 1, "xTwo": 2, "xThree": 3}), 400, "INVALID_ATTRIBUTE", ("xOne", "xTwo", "xThree"))
    yield ("100 unknown fields", dump({**body, **{"x%d" % number: 1 for number in range(100)}}), 400, "INVALID_ATTRIBUTE",
           tuple("x%d" % number for number in range(MOST_WRONG_FIELDS)))


CONTENT_TYPES = [
    ("application/json", None), ("application/json; charset=utf-8", None), ('application/json; charset="UTF-8"', None),
    ("APPLICATION/JSON", None), ("application/vnd.svc.2025-03-12+json", None), ("application/vnd.svc.2023-01-01+json", None),
    ("", 415), ("text/plain", 415), ("text/json", 415), ("application/xml", 415), ("application/x-www-form-urlencoded", 415),
    ("multipart/form-data; boundary=x", 415), ("application/json; charset=latin1", 415), ("application/vnd.svc.2025-02-30+json", 415),
    ("application/vnd.svc.2025-03-12+csv", 415), ("application/jsonp", 415), ("application", 415), ("application/json, text/plain", 415),
]

# ---- The query ----
TOO_LARGE = "9" * 30


def cells_of_query(row):
    """(query, name of the parameter that is wrong)."""
    common = {"envelope": "boolean", "pretty": "boolean"}
    if row["method"] != "GET":
        common["dryRun"] = "boolean"
    if row["shape"] == "list":
        common.update(pageNum=(1, 1000000000000), itemsPerPage=(1, 500), includeCount="boolean")
    if row["shape"] == "entity" and row["method"] == "GET":
        common["links"] = "choice"
    for name, kind in common.items():
        wrong = ["", "maybe", "TRUE", "1%20", "%201", "%00", "%ff", "%zz"]
        if kind == "boolean":
            wrong += ["1", "yes", "truee"]
        elif kind == "choice":
            wrong += ["none", "ALL", "all,main"]
        else:
            wrong += ["0", "-1", str(kind[1] + 1), "1.5", "1e3", "0x10", "+1", TOO_LARGE, "-" + TOO_LARGE]
        for value in wrong:
            yield "%s=%s" % (name, value), name
        for value in () if isinstance(kind, str) else kind:  # a list is never missing
            yield "%s=%d" % (name, value), None
        yield "%s=%s&%s=%s" % ((name, {"boolean": "true", "choice": "all"}.get(kind, "1")) * 2), name
    for field in row["query"]:
        name = field["name"]
        wrong = {"id": ["x", "", "650000000000000000000ABC"], "cidr": ["x", "", "10.0.0.1/8"], "integer": ["x", "", "1.5", TOO_LARGE],
                 "boolean": ["x", ""], "date": ["x", ""], "number": ["x", ""]}.get(field["type"], [])
        if field["type"] == "text" and field["max"]:
            wrong.append("a" * (field["max"] + 1))
        if field["type"] == "integer" and field["max"]:
            wrong += [str(field["min"] - 1), str(field["max"] + 1)]
        if "oneOf" in field:
            wrong.append("NO_SUCH_TEXT")
        for value in wrong + ["%00", "%ff", "%zz"]:
            yield "%s=%s" % (name, value), name
        if field["type"] == "list" and field["max"]:
            yield "&".join(["%s=%s" % (name, value_of_form(field))] * (field["max"] + 1)), name
        if field["type"] != "list":
            good = {"id": "650000000000000000000001", "cidr": "10.0.0.1", "text": "abc"}.get(field["type"], "1")
            yield "%s=%s&%s=%s" % (name, good, name, good), name
    yield "noSuchParameter=1", "noSuchParameter"
    yield "pagenum=1", "pagenum"
    yield "&".join("a%d=1" % number for number in range(40)), "a0"
    if row["method"] == "GET":
        yield "dryRun=true", "dryRun"


def success_of(row):
    """Everything but a GET is asked as a dry run here."""
    return {"waiting": 501, "refused": 400}.get(row["status"], row["success"] if row["method"] == "GET" else dry_status(row))


# Complete, and some of what it is asked for is refused by design: a body that is right has the one answer or the other.
REFUSED_WHEN_ON = {"createGroupClusterExtension": (400, "NOT_OFFERED")}


def is_success(row, answer):
    if (answer.status, answer.code()) == REFUSED_WHEN_ON.get(row["operation"]):
        return True
    return answer.status == success_of(row) and answer.code() in (None, "NOT_IMPLEMENTED", row.get("refuses"))


def with_needed(row, query):
    """The query with those parameters that must always be there, unless it has them already."""
    names = [part.partition("=")[0] for part in query.split("&")]
    needed = needed_query(row, but=names)
    return "%s&%s" % (query, needed) if needed else query


class Matrix:
    def __init__(self, suite, world, node):
        self.suite, self.world, self.contract = suite, world, Contract()
        self.connection = connect(node)
        self.auth = world.a.bearer()
        self.values = world.make_fixtures()
        self.cells, self.forced = 0, {}
        self.make_integrations()

    def known(self):
        owner = sql("SELECT encode(g.principal_id, 'hex') FROM role_grant g JOIN person n ON n.id = g.principal_id "
                    "WHERE g.org_id = decode('%s', 'hex') AND g.role = 'ORG_OWNER'" % self.world.a.home)
        return {"orgId": self.world.a.home, "orgOwnerId": owner, "groupId": self.world.p, "country": "DE",
                "deleteAfterDate": "2099-01-01T00:00:00Z"}

    def anything(self, row):
        """What waits or is refused by design looks nothing up: whatever has the right form will do."""
        if row["status"] == "complete":
            return {}
        return {**dict.fromkeys(re.findall(r"\{(\w+)\}", row["path"]), "x"), **forms_of(row)}

    def path(self, row):
        values = {**self.anything(row), **values_for(row["path"], self.values), **self.forced}
        if row["operation"] == "createGroupIntegration":
            values["groupId"] = self.world.p2
        return re.sub(r"\{(\w+)\}", lambda match: values[match.group(1)], row["path"])

    def is_reachable(self, row):
        # These look their entity up by a field of the body, or need an owner of two organizations: exchanges try them.
        if row["operation"] in ("updateOrganizationInvitations", "updateProjectInvitations", "migrateProject", "tenantGroupFlexClusterUpgrade",
                                "upgradeGroupClusterTenantUpgrade", "downloadGroupFlexClusterBackup"):
            return False
        # These need a cluster that runs, and there are no hosts here: exchanges and job_restore_test try them.
        if row["operation"] in ("createGroupClusterBackupRestoreJob", "createGroupClusterRestoreJob", "createGroupFlexClusterBackupRestoreJob"):
            return False
        # Either a period or two dates is needed: exchanges try them.
        if row["operation"] in ("getGroupProcessDatabaseMeasurements", "getGroupProcessDiskMeasurements", "getGroupProcessMeasurements"):
            return False
        # Its body names a snapshot and a bucket: exchanges and job_backup_export_test try it.
        if row["operation"] == "createGroupClusterBackupExport":
            return False
        # Their bodies name a role that the operator has made: exchanges try them.
        if row["operation"] in ("createGroupPushBasedLogExport", "updateGroupPushBasedLogExport"):
            return False
        return row["status"] != "complete" or set(re.findall(r"\{(\w+)\}", row["path"])) <= set(values_for(row["path"], self.values))

    def ask(self, what, row, prefix, query, body, headers, status, code, named):
        """One cell. `status` None: whatever the operation's success is."""
        success = success_of(row)
        target = prefix + self.path(row) + ("?" + query if query else "")
        self.cells += 1
        name = "%s %s, %s" % (row["method"], prefix + row["path"], what)
        try:
            answer = self.connection.ask(row["method"], target, self.auth, body, headers)
        except OSError as why:
            self.connection.close()
            return self.suite.fail("%s: %r" % (name, why))
        wrong = []
        if answer.status >= 500 and answer.status != success:
            wrong.append("an answer of %d" % answer.status)
        if status == OPTIONAL:
            if not is_success(row, answer) and answer.code() not in ("MISSING_ATTRIBUTE", "INVALID_ATTRIBUTE_VALUE", "INTEGRATION_MISSING"):
                wrong.append("%d was expected, or what is missing" % success)
        elif status is None and not is_success(row, answer):
            wrong.append("%d %s was expected" % (success, row.get("refuses", "")))
        elif status is not None and answer.status != status:
            wrong.append("%d was expected" % status)
        elif code and answer.code() != code:
            wrong.append("%s was expected" % code)
        if answer.status == 400 and re.search(r"\^\[|\[\^|\(\?|\\p\{|\]\*\$", answer.json().get("content", answer.json())["detail"]):
            wrong.append("a regular expression is no sentence")
        named, *others = named if isinstance(named, tuple) else (named,)
        if not wrong and named is not None:
            document = answer.json()
            document = document.get("content", document)
            if others and document["parameters"][1::2] != others:
                wrong.append("%r are named as well, not %r" % (document["parameters"][1:], others))
            if code == "INVALID_JSON":
                # The parser quotes short names and always says where it stumbled.
                if named not in document["detail"] and " column " not in document["detail"]:
                    wrong.append("the detail does not say where %s is" % named)
            elif document["parameters"][0] != named and code != "DRY_RUN_NOT_AVAILABLE":
                wrong.append("%r is named, not %r" % (document["parameters"][0], named))
            elif code != "DRY_RUN_NOT_AVAILABLE" and named not in document["detail"]:
                wrong.append("the detail does not name %s" % named)
        if "location" in answer.headers or "operation-location" in answer.headers:
            wrong.append("a dry run says where it is (C9)")
        wrong += self.contract.problems(answer)
        return self.suite.check(not wrong, "%s: %d %s %s: %s" % (name, answer.status, answer.code(), answer.body[:200], "; ".join(wrong)))

    def good_body(self, row, prefix, mode, number=0):
        """A body with as many fields as possible that is taken: with all of them, else the one of the documentation."""
        full = valid_body(row["request"], self.known(), mode, number)
        if "{integrationType}" in row["path"]:  # the kind is in the path as well
            self.forced = {"integrationType": full["type"]}
        if row["operation"] == "createUser":  # a role is given in an organization or in a project, not in both
            full["roles"] = [{"orgId": self.world.a.home, "roleName": "ORG_MEMBER"}]
        if "roleAssignments" in full:  # likewise
            full["roleAssignments"] = [{"orgId": self.world.a.home, "role": "ORG_MEMBER"}]
        full.update(PARTS.get(row["operation"], {}))
        if row["operation"] == "createPeer":  # networks and a key agree with a container of the project
            full.update(row["example"], containerId=self.values["containerId"])
        if "ssoUrl" in full:
            full["ssoUrl"] = "https://login.example.org/sso"
        if "pemFileInfo" in full:
            full["pemFileInfo"]["certificates"] = [{"content": certificate()}]
        full.update({name: False for name in full if name.startswith("send")})  # metrics, which are not offered
        example, decides = row.get("example"), next((field for field in row["request"] if "variants" in field and field["name"] in full), None)
        if decides and example and example.get(decides["name"]) != full[decides["name"]]:
            example = None  # of another kind
        for body in ([full] if row["bodyIsList"] else full, example):
            if body is None:
                continue
            answer = self.connection.ask(row["method"], prefix + self.path(row) + "?" + with_needed(row, "dryRun=true"), self.auth, body)
            if is_success(row, answer):
                return body
        # What is not offered cannot be there, either.
        if decides and (answer.code() == "NOT_OFFERED" or (self.forced and answer.status == 404)):
            self.suite.say("not offered: %s of %s" % (full[decides["name"]], row["operation"]))
            return None
        self.suite.fail("%s %s: neither with all fields nor as its example is it taken: %r" % (row["method"], row["path"], answer))
        return None

    def make_integrations(self):
        """One of each kind in p, to be replaced; p2 has none, so that each can be created there."""
        row = next(row for row in catalog() if row["operation"] == "createGroupIntegration")
        for number in range(count_kinds(row["request"])):
            body = valid_body(row["request"], self.known(), "create", number)
            body.update({name: False for name in body if name.startswith("send")})
            self.connection.ask("POST", "%s/groups/%s/integrations/%s" % (PREFIX, self.world.p, body["type"]), self.auth, body)

    def run_body(self, row, prefix):
        try:
            return sum(self.run_kind(row, prefix, number) for number in range(count_kinds(row["request"])))
        finally:
            self.forced = {}

    def run_kind(self, row, prefix, number):
        mode = {"POST": "create", "PUT": "replace", "PATCH": "update"}[row["method"]]
        # A change does not make one kind of the other: there is one of each.
        self.forced = {"identityProviderId": self.values["samlProviderId"]} if number == 1 and row["operation"] == "updateFederationSettingIdentityProvider" else {}
        body = self.good_body(row, prefix, mode, number)
        if body is None:
            return 0
        fields = list(places(row["request"], mode, (0,) if row["bodyIsList"] else (), number))
        cells = list(cells_of_body(body, mode, row["bodyIsList"]))
        for place in fields:
            if not place.is_possible(body):
                self.suite.say("not tried, the body has no place for it: %s of %s" % (place.text, row["operation"]))
                continue
            cells += [("%s: %s" % (place.text, what), *rest) for what, *rest in cells_of_field(place, body)]
        for what, sent, status, code, named in cells:
            self.ask(what, row, prefix, with_needed(row, "dryRun=true"), sent, {}, status, code, named)
        for content_type, status in CONTENT_TYPES:
            self.ask("Content-Type %r" % content_type, row, prefix, with_needed(row, "dryRun=true"), dump(body), {"Content-Type": content_type}, status,
                     "UNSUPPORTED_MEDIA_TYPE" if status else None, None)
        self.forced = {}
        return len(fields)

    def run_query(self, row):
        sent = None
        if row["method"] != "GET" and "request" in row:
            mode = {"POST": "create", "PUT": "replace", "PATCH": "update"}[row["method"]]
            bodies = (self.good_body(row, PREFIX, mode, number) for number in range(count_kinds(row["request"])))
            body = next((one for one in bodies if one is not None), None)
            sent = None if body is None else dump(body)
        for query, named in cells_of_query(row):
            whole = with_needed(row, query if row["method"] == "GET" or "dryRun" in query else query + "&dryRun=true")
            if named is None:
                self.ask("query " + query, row, PREFIX, whole, sent, {}, None, None, None)
                continue
            dry = named == "dryRun" and row["method"] == "GET"
            code = "DRY_RUN_NOT_AVAILABLE" if dry else "INVALID_QUERY_PARAMETER"
            self.ask("query " + query[:80], row, PREFIX, whole, sent, {}, 400, code, named)

        for field in row["query"]:
            if field["required"]:
                others = needed_query(row, but=(field["name"],))
                self.ask("query without " + field["name"], row, PREFIX, others, sent, {}, 400, "INVALID_QUERY_PARAMETER", field["name"])
        self.forced = {}

    def run_path(self, row):
        """What has not the form of a name is not found."""
        for field in row["pathFields"]:
            self.forced = {field["name"]: "no%20such%20form" * 20}
            self.ask("path with another form of " + field["name"], row, PREFIX, needed_query(row), None, {}, 404, "RESOURCE_NOT_FOUND", None)
        self.forced = {}

    def run_bodiless(self, row):
        """What takes no body refuses one that says something."""
        if "request" not in row and row["method"] != "GET" and (row["method"] == "DELETE" or row["status"] == "waiting"):
            self.ask("a body", row, PREFIX, "dryRun=true", b'{"force":true}', {}, 400, "INVALID_ATTRIBUTE", "force")
            self.ask("no JSON", row, PREFIX, "dryRun=true", b"{", {}, 400, "INVALID_JSON", None)


def main():
    ends_on_signal()
    suite = Suite("body matrix")
    with MonitorStore() as store, start_node(settings={"monitor_stores": store.url}) as node:
        world = World(node, with_roles=False)
        matrix = Matrix(suite, world, node)
        seed_now(store, world.p, "c1")
        described = [row for row in catalog() if row["described"]]
        before, began, fields = row_hashes(), time.monotonic(), 0
        for row in described:
            if not matrix.is_reachable(row):
                suite.say("not reached, the world has none of it: %s %s" % (row["method"], row["path"]))
                continue
            if "request" in row and row["method"] != "GET":
                fields += matrix.run_body(row, PREFIX)
                if row["operation"] == "updatePrivateIpMode":
                    fields += matrix.run_body(row, "/api/svc/v1.0")
            if row["operation"] != "deleteOrganization":  # never empty here, so it is never a success
                matrix.run_query(row)
                matrix.run_bodiless(row)
                matrix.run_path(row)
        changed = changed_tables(before, row_hashes())
        suite.check(not changed, "the database changed: %s", changed)
        suite.say("%d operations, %d fields; %d distinct answers held against the OpenAPI document; %.0f s"
                  % (len(described), fields, len(matrix.contract.seen), time.monotonic() - began))
        world.close()
    print("body matrix: %d cells, %d failures" % (matrix.cells, len(suite.failures)))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
