/** Allowed and refused webhook targets: addresses, names that resolve to them, redirects, and endless answers. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isPublicAddress } from "../../src/adapters/public-address.ts";
import { createWebhooks } from "../../src/adapters/webhooks.ts";
import { WebhookUnreached } from "../../src/core/model/ports/webhooks.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { GAS_KEY, PAYEE } from "../support/wallets.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

let receiver: Receiver;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(() => receiver.close());
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answers({ status: 204 });
});

/** Receivers listen on any free port. */
const ports = [[1_024, 65_535]] as const;
const headers = { "content-type": "application/json", "webhook-id": "msg_1" };
const message = (url: string) => ({ url, headers, body: '{"é":1}' });
/** The reason why a post came to nothing. */
const failureOf = (sent: Promise<unknown>): Promise<string> =>
  sent.then(
    () => "it was sent",
    (error) => (error instanceof WebhookUnreached ? error.message : `not a WebhookUnreached: ${error}`),
  );

const PRIVATE = [
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "100.100.100.200",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:8.8.8.8",
  "::7f00:1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "3fff::1",
  "4000::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "2a00:1450::1%eth0",
  "fec0::1",
  "ff02::1",
  "localhost",
  "",
];
const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "100.128.0.1",
  "172.32.0.1",
  "192.169.0.1",
  "2606:4700::1111",
  "2a00:1450:4001:80b::200e",
];

describe("public addresses", () => {
  test.each(PRIVATE)("%s is not public", (address) => expect(isPublicAddress(address)).toBe(false));
  test.each(PUBLIC)("%s is public", (address) => expect(isPublicAddress(address)).toBe(true));
});

describe("a URL", () => {
  const { refusalOf } = createWebhooks();
  test.each([
    ["http://agent.example.org/", "begins with https://"],
    ["ftp://agent.example.org/", "begins with https://"],
    ["file:///etc/passwd", "begins with https://"],
    ["hooks", "is an absolute URL"],
    [`https://agent.example.org/${"a".repeat(2048)}`, "at most 2048"],
    [`https://agent.example.org/${"é".repeat(500)}`, "at most 2048"],
    [`https://${"a.".repeat(200)}example.org/`, "more than 253"],
    ["https://me:secret@agent.example.org/", "has no user name"],
    ["https://127.0.0.1/", "names 127.0.0.1"],
    ["https://127.1/", "names 127.0.0.1"],
    ["https://0x7f000001/", "names 127.0.0.1"],
    ["https://2130706433/", "names 127.0.0.1"],
    ["https://0177.0.0.1/", "names 127.0.0.1"],
    ["https://[::1]/", "names ::1"],
    ["https://[::ffff:127.0.0.1]/", "names ::ffff:7f00:1"],
    ["https://169.254.169.254/latest/meta-data", "names 169.254.169.254"],
    ["https://[fd00:ec2::254]/", "names fd00:ec2::254"],
    ["https://localhost/", "names localhost, which no public name server knows"],
    ["https://hooks/", "no public name server knows"],
    ["https://hooks.localhost/", "no public name server knows"],
    ["https://printer.local./", "no public name server knows"],
    ["https://metadata.google.internal/", "no public name server knows"],
    ["https://nobody.invalid/", "no public name server knows"],
    ["https://agent.example.org:8443/", "has no port"],
    ["https://agent.example.org:22/", "has no port"],
  ])("%s is refused", (url, reason) => expect(refusalOf(url)).toContain(reason));
  test.each([
    "https://agent.example.org/hook?a=b",
    "https://agent.example.org:443/",
    "https://[2606:4700::1111]/",
  ])("%s is taken", (url) => expect(refusalOf(url)).toBeUndefined());
  test("in development may be http and private, at 443, 80 and the configured ports", () => {
    const open = createWebhooks({ allow_private: true, ports: [[8_000, 8_002]] });
    for (const taken of ["", ":80", ":443", ":8000", ":8002"])
      expect(open.refusalOf(`http://127.0.0.1${taken}/`)).toBeUndefined();
    for (const refused of [":9", ":22", ":7999", ":8003"])
      expect(open.refusalOf(`http://127.0.0.1${refused}/`)).toContain("names no port but 443 and 80");
    expect(open.refusalOf("ftp://127.0.0.1/")).toBeDefined();
    const { refusalOf } = createWebhooks({ ports: [[8_000, 8_002]] });
    expect(refusalOf("https://agent.example.org:8000/")).toContain("has no port");
  });
});

describe("a name", () => {
  test.each(PRIVATE.filter((address) => /^[\da-f:.]+$/.test(address)))(
    "that leads to %s is not connected to",
    async (address) => {
      for (const found of [[address], ["1.1.1.1", address]]) {
        const webhooks = createWebhooks({ resolve: async () => found });
        const failure = await failureOf(webhooks.post(message("https://evil.example.org/")));
        expect(failure).toBe("the host is at no public address");
      }
      expect(receiver.received).toEqual([]);
    },
  );
  test("is resolved once, and the resolved address is connected to", async () => {
    const requests: string[] = [];
    const webhooks = createWebhooks({
      allow_private: true,
      ports,
      // The second look-up of an attacker's name server would lead elsewhere.
      resolve: async (host) => (requests.push(host) === 1 ? ["127.0.0.1"] : ["127.0.0.2"]),
    });
    const url = `http://rebinding.example:${receiver.port}/hook`;
    expect(await webhooks.post(message(url))).toEqual({ status: 204, retry_after: undefined });
    expect(requests).toEqual(["rebinding.example"]);
    expect(receiver.received).toMatchObject([
      {
        url: "/hook",
        body: '{"é":1}',
        headers: { host: `rebinding.example:${receiver.port}`, "webhook-id": "msg_1" },
      },
    ]);
  });
  test("without an address, or unresolvable, fails with the reason", async () => {
    const none = createWebhooks({ resolve: async () => [] });
    expect(await failureOf(none.post(message("https://none.example.org/")))).toBe(
      "the host cannot be resolved",
    );
    const lost = createWebhooks({
      resolve: async () => {
        throw Object.assign(new Error("query"), { code: "ENOTFOUND" });
      },
    });
    expect(await failureOf(lost.post(message("https://none.example.org/")))).toBe(
      "the host cannot be resolved",
    );
  });
  test("whose lookup never ends is given up", async () => {
    const slow = createWebhooks({ resolve: () => new Promise(() => undefined), deadline_ms: 50 });
    expect(await failureOf(slow.post(message("https://slow.example.org/")))).toBe("no answer within 0.05 s");
  });
});

describe("an answer", () => {
  const webhooks = createWebhooks({ allow_private: true, ports, deadline_ms: 300 });
  test.each([200, 204, 404, 410, 500])("%i is passed on", async (status) => {
    receiver.answers({ status });
    expect(await webhooks.post(message(receiver.url))).toMatchObject({ status });
  });
  test("has the time of the next try", async () => {
    receiver.answers({ status: 503, headers: { "Retry-After": "120" } });
    expect(await webhooks.post(message(receiver.url))).toEqual({ status: 503, retry_after: "120" });
  });
  test.each([301, 302, 303, 307, 308])("%i is not followed", async (status) => {
    receiver.answers({ status, headers: { Location: `${receiver.url}/elsewhere` } });
    expect(await webhooks.post(message(receiver.url))).toMatchObject({ status });
    expect(receiver.received).toHaveLength(1);
  });
  test("without end is cut off, and its status counts", async () => {
    let written = 0;
    receiver.answers((response) => {
      response.writeHead(200);
      const more = () => {
        if (response.destroyed) return;
        written += 65_536;
        response.write(Buffer.alloc(65_536), more);
      };
      more();
    });
    expect(await createWebhooks({ allow_private: true, ports }).post(message(receiver.url))).toMatchObject({
      status: 200,
    });
    expect(written).toBeLessThan(16 * 1024 * 1024);
  });
  test("whose body never ends is dropped at the deadline, and its status counts", async () => {
    receiver.answers((response) => {
      response.writeHead(202);
      response.write("a");
    });
    expect(await webhooks.post(message(receiver.url))).toMatchObject({ status: 202 });
  });
  test("that never begins is a failure", async () => {
    receiver.answers(() => undefined);
    expect(await failureOf(webhooks.post(message(receiver.url)))).toBe("no answer within 0.3 s");
  });
  test("with endless headers is a failure", async () => {
    receiver.answers(
      (response) => void response.socket!.end(`HTTP/1.1 200 OK\r\nA: ${"a".repeat(100_000)}\r\n\r\n`),
    );
    expect(await failureOf(webhooks.post(message(receiver.url)))).toContain("no connection");
  });
  test("from a server without TLS fails where https was requested", async () => {
    const failure = await failureOf(webhooks.post(message(receiver.url.replace("http:", "https:"))));
    expect(failure).toMatch(/^no (secure )?connection/);
    expect(receiver.received).toEqual([]);
  });
  test("from an unreachable host is a failure", async () => {
    const gone = await openReceiver();
    await gone.close();
    expect(await failureOf(webhooks.post(message(gone.url)))).toBe("no connection");
  });
});

describe("a fetched body", () => {
  const webhooks = createWebhooks({ allow_private: true, ports });
  const hasty = createWebhooks({ allow_private: true, ports, deadline_ms: 300 });
  const request = (url = receiver.url) => ({ url, headers: { accept: "application/json" }, most: 1_000 });
  test("is the whole answer, and only the request is sent", async () => {
    receiver.answers((response) => void response.writeHead(404).end("é"));
    const { status, body } = await webhooks.get(request());
    expect([status, Buffer.from(body).toString()]).toEqual([404, "é"]);
    expect(receiver.received).toMatchObject([
      { url: "/hook", body: "", headers: { accept: "application/json" } },
    ]);
  });
  test("has a limited number of bytes, whatever its header says", async () => {
    receiver.answers((response) => void response.end("a".repeat(1_000)));
    expect((await webhooks.get(request())).body).toHaveLength(1_000);
    receiver.answers((response) => void response.end("a".repeat(1_001)));
    expect(await failureOf(webhooks.get(request()))).toBe("its answer is more than 1000 bytes");
    receiver.answers((response) => {
      const more = () => void (response.destroyed || response.write(Buffer.alloc(65_536), more));
      more();
    });
    expect(await failureOf(webhooks.get(request()))).toBe("its answer is more than 1000 bytes");
  });
  test("fails where it does not end, or breaks off", async () => {
    receiver.answers((response) => void response.write("a"));
    expect(await failureOf(hasty.get(request()))).toBe("its answer breaks off, or does not end in time");
    receiver.answers((response) => {
      response.writeHead(200, { "Content-Length": "10" });
      response.write("a", () => response.socket!.destroy());
    });
    expect(await failureOf(webhooks.get(request()))).toBe("its answer breaks off, or does not end in time");
    receiver.answers(() => undefined);
    expect(await failureOf(hasty.get(request()))).toBe("no answer within 0.3 s");
  });
  test("never follows a redirect", async () => {
    receiver.answers({ status: 302, headers: { Location: `${receiver.url}/elsewhere` } });
    expect(await webhooks.get(request())).toMatchObject({ status: 302 });
    expect(receiver.received).toHaveLength(1);
  });
  test("comes from public addresses only, resolved once", async () => {
    for (const url of [
      "http://agent.example.org/",
      "https://127.0.0.1/",
      "https://localhost/",
      "https://a.example.org:444/",
    ])
      expect(await failureOf(createWebhooks().get(request(url)))).toContain("the URL ");
    const inside = createWebhooks({ resolve: async () => ["1.1.1.1", "10.0.0.1"] });
    expect(await failureOf(inside.get(request("https://evil.example.org/")))).toBe(
      "the host is at no public address",
    );
    const hosts: string[] = [];
    const rebinding = createWebhooks({
      allow_private: true,
      ports,
      resolve: async (host) => (hosts.push(host) === 1 ? ["127.0.0.1"] : ["127.0.0.2"]),
    });
    receiver.answers({ status: 200 });
    expect(await rebinding.get(request(`http://rebinding.example:${receiver.port}/`))).toMatchObject({
      status: 200,
    });
    expect(hosts).toEqual(["rebinding.example"]);
  });
});

test("configured ports are for development", () => {
  const set = { WEBHOOK_PORTS: "8000,9000-9099" };
  expect(readConfig({ ...set, ALLOW_PRIVATE_WEBHOOKS: "1" }).WEBHOOK_PORTS).toEqual([
    [8000, 8000],
    [9000, 9099],
  ]);
  expect(() => readConfig(set)).toThrow(/WEBHOOK_PORTS is for development/);
  expect(() => readConfig({ WEBHOOK_PORTS: "http" })).toThrow(/list of ports/);
});

test("private webhooks are refused on a real chain", () => {
  expect(readConfig({ ALLOW_PRIVATE_WEBHOOKS: "1" }).ALLOW_PRIVATE_WEBHOOKS).toBe(true);
  const real = {
    BASE_RPC_URL: "https://mainnet.base.org",
    PAY_TO: PAYEE,
    GAS_KEY,
  };
  expect(readConfig(real).ALLOW_PRIVATE_WEBHOOKS).toBe(false);
  expect(() => readConfig({ ...real, ALLOW_PRIVATE_WEBHOOKS: "1" })).toThrow(
    /ALLOW_PRIVATE_WEBHOOKS is for development/,
  );
});
