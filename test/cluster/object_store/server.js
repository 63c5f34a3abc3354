// SPDX-License-Identifier: Apache-2.0
// A server that speaks S3, on real files: node server.js CONFIGURATION, a JSON file with address, port, certificate, key, folder, buckets, keys.
// Each request is a line of its output: method, path, status.
const fs = require("fs");
const aws4 = require("aws4");
const S3rver = require("s3rver");
const { DUMMY_ACCOUNT } = require("s3rver/lib/models/account");

const configuration = JSON.parse(fs.readFileSync(process.argv[2], "utf-8"));
for (const [name, secret] of Object.entries(configuration.keys)) {
    DUMMY_ACCOUNT.createKeyPair(name, secret);
}

// s3rver knows the keys and does not compute signatures of version 4: aws4 does, from the request as it came.
function isSigned(request) {
    const given = /Credential=([^/]+)\/\d+\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=/.exec(request.headers.authorization || "");
    if (given === null || !(given[1] in configuration.keys)) {
        return true; // s3rver says what is wrong with it
    }
    const headers = Object.fromEntries(given[3].split(";").map((name) => [name, request.headers[name]]));
    const signed = aws4.sign({ service: "s3", region: given[2], method: request.method, path: request.url, headers },
        { accessKeyId: given[1], secretAccessKey: configuration.keys[given[1]] });
    return signed.headers.Authorization === request.headers.authorization;
}

const server = new S3rver({
    address: configuration.address,
    port: configuration.port,
    key: fs.readFileSync(configuration.key),
    cert: fs.readFileSync(configuration.certificate),
    directory: configuration.folder,
    silent: true,
    vhostBuckets: false,
    configureBuckets: configuration.buckets.map((name) => ({ name })),
});
// s3rver does not list a folder in which there are only folders: everything is listed, and folders are made of it here.
const store = server.context.store;
const listAll = store.listObjects.bind(store);
store.listObjects = async (bucket, options) => {
    const { delimiter = "", prefix = "" } = options;
    if (!delimiter) {
        return listAll(bucket, options);
    }
    const all = await listAll(bucket, { ...options, delimiter: "", maxKeys: Infinity });
    const folders = new Set();
    const objects = all.objects.filter((object) => {
        const at = object.key.indexOf(delimiter, prefix.length);
        if (at >= 0) {
            folders.add(object.key.slice(0, at + delimiter.length));
        }
        return at < 0;
    });
    return { ...all, objects, commonPrefixes: [...folders].sort() };
};
server.middleware.unshift(async (context, next) => {
    context.res.on("finish", () => console.log(context.method, context.path, context.res.statusCode));
    if (isSigned(context.req)) {
        await next();
    } else {
        context.status = 403;
        context.body = "<Error><Code>SignatureDoesNotMatch</Code></Error>";
    }
});
server.run();
