/* SPDX-License-Identifier: Apache-2.0 */
/* What xmlsec1 signed for a provider at 2026-01-01T00:00:00Z, and the provider's certificate. */
#ifndef SAML_FIXTURE_H
#define SAML_FIXTURE_H

// clang-format off
static const char saml_certificate[] =
    "-----BEGIN CERTIFICATE-----\nMIIDAzCCAeugAwIBAgIUbxHYyE0tYahVY+aQOytalsNL3dMwDQYJKoZIhvcNAQEL\nBQAwEDEOMAwGA1UEAwwFbG9naW4wIBcNMjYwMTAxMDAwMDA"
    "wWhgPMjA4MDEwMDQw\nMDAwMDBaMBAxDjAMBgNVBAMMBWxvZ2luMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\nMIIBCgKCAQEAxAVLFFlPBmtyMlnw4DdjxKjjKJEmHRWXXj5WbX4C/5vmi"
    "Y90CzHr\nwpmvuEgbzyddRwYU8fcgEY5B9RoU/vPdNVLKnjYlmevmTF38nJulSlTBW4TCyuLT\nkdPzcerRBx9qPeVbi81WVZuOAVif1u0Vse5na/yuNz+oVJMC9uuqpBjY2XnnKQuq\nOP"
    "pzw25+L0zJ+C0q6xrlg9JNyVECz7tqFuTYBa6eQ/TKssjckB7KaWfTgyjgqay8\npCkUFOcqiyNOjy28RunwGFMELYbSnbsl/WpBkOuKOXxjK+WsxTLVdwIOKzh2cSuG\nnVbgVKfXJAfJ"
    "ziEPrDSPcB/b2k92ZySPOwIDAQABo1MwUTAdBgNVHQ4EFgQU+gM7\nxzZcosDHOHPF1wNKKSKDlV4wHwYDVR0jBBgwFoAU+gM7xzZcosDHOHPF1wNKKSKD\nlV4wDwYDVR0TAQH/BAUwAw"
    "EB/zANBgkqhkiG9w0BAQsFAAOCAQEAvogNNtH3oeu8\nmQWWk/gx21dffpqqXUvPLt8V8vIxwzwm640vjOvsyfehPsV9fBHsJOpHrgjvsoeW\niC7m5CgMqnoeRfwJfJ59hxj+ul38Hh7b"
    "PK7pqdZrKg5jppWb6RzVhVNCVCE2+97O\nZz/ZpiFpmfpjb5GAS7xF0j9iN8YsJljmISdgWKTsKLm/Boqn7/HqvQVoaYgwQkJW\npRmIfI8nuwBggSPOdc9MG4pQbnNAv9HpSXdF3VVm60"
    "QG4wGWsxAgsLfvmHln1ySo\nNKaLcvg/2Yf7frUVREKiPJZj9aQxd3z3Fw2E0lQa1K0uUSKTI39ewwJ770a1ZOQN\nZnlcEa/tdQ==\n-----END CERTIFICATE-----\n";

static const char saml_answer[] =
    "<samlp:Response xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" ID=\"response1\" Version=\"2.0\" IssueInstant=\"2026-01-01T00:00:00Z\" Destinat"
    "ion=\"https://reeve.example.org/api/saml/1/acs\" InResponseTo=\"_QUESTION\"><saml:Issuer xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\">http"
    "s://login.example.org</saml:Issuer><samlp:Status><samlp:StatusCode Value=\"urn:oasis:names:tc:SAML:2.0:status:Success\"/></samlp:Status><saml:"
    "Assertion xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\" ID=\"assertion1\" Version=\"2.0\" IssueInstant=\"2026-01-01T00:00:00Z\"><saml:Issuer>"
    "https://login.example.org</saml:Issuer><ds:Signature xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\"><ds:SignedInfo><ds:CanonicalizationMethod"
    " Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"/><ds:SignatureMethod Algorithm=\"http://www.w3.org/2001/04/xmldsig-more#rsa-sha256\"/><ds"
    ":Reference URI=\"#assertion1\"><ds:Transforms><ds:Transform Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"/><ds:Transform A"
    "lgorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"/></ds:Transforms><ds:DigestMethod Algorithm=\"http://www.w3.org/2001/04/xmlenc#sha256\"/><d"
    "s:DigestValue>8UsornW2S8zbiiVics9rkkjplUqFoFm7gox53Tqkt/0=</ds:DigestValue></ds:Reference></ds:SignedInfo><ds:SignatureValue>MoUNqnxC7rsHpPo"
    "6nOPbi3ekw/K0QCCyXaJ3UUNHbQQ6QJJZ+ALUyzBcYkWmUVyp\nIkkDAnTLej5u2j1RwyRLXquyYRpB05lX6orx9FYNWcuv0zU1U3pQI+j1OXhsLu6V\nQYz7BH0PHTHziAAE/pL0a83Mi"
    "QTjvzqBo3ripCqwQ39RRKWdQCD0ZEj8dzjg7qCz\nDwjMgJdVicGZPAIdzkLr7bl/kICGy0/UX9t6Z1d29vkKWJy4kV4fMRYwNzHANTjL\nT9ox1u625ge90cCKmbaBe8CXaZ2PCW3jI1W"
    "vLvsuT9rK6/GySzVRo4E8zyLsY0Pn\nQdEuzPt3vF/yuC6Cfpo/cg==</ds:SignatureValue></ds:Signature><saml:Subject><saml:NameID Format=\"urn:oasis:names:"
    "tc:SAML:1.1:nameid-format:emailAddress\">ada@example.org</saml:NameID><saml:SubjectConfirmation Method=\"urn:oasis:names:tc:SAML:2.0:cm:bearer"
    "\"><saml:SubjectConfirmationData InResponseTo=\"_QUESTION\" Recipient=\"https://reeve.example.org/api/saml/1/acs\" NotOnOrAfter=\"2026-01-01T00:05"
    ":00Z\"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore=\"2025-12-31T23:59:50Z\" NotOnOrAfter=\"2026-01-01T00:05:00Z\"><saml"
    ":AudienceRestriction><saml:Audience>https://reeve.example.org/api/saml/1</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:A"
    "uthnStatement AuthnInstant=\"2026-01-01T00:00:00Z\"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Passw"
    "ord</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement><saml:Attribute Name=\"memberOf\"><saml:Attr"
    "ibuteValue>people</saml:AttributeValue><saml:AttributeValue>r&amp;d</saml:AttributeValue></saml:Attribute></saml:AttributeStatement></saml:A"
    "ssertion></samlp:Response>";
// clang-format on

#endif
