/**
 * The second verifier, written from docs/event-log.md alone: one file that needs nothing but Node 20 or a browser.
 * @typedef {{ name: string, ok: boolean, detail: string, first_bad?: number, reason?: string }} Verdict
 * @typedef {{ origin?: string, key?: string, heads?: { position: number, hash: string }[], checkpoints?: string[],
 *   network?: string, contract?: string, signer?: string, rpc?: string, onEvents?: (count: number) => unknown }} Options
 *   what the auditor knows: of a stream, heads are version and event_hash; 8 digits of a hash do; `onEvents` is awaited
 */

function need(condition, otherwise) {
  if (!condition) throw new Error(otherwise);
}

// Bytes and hashes: section 2. Hashes are hex throughout.
const utf8 = new TextEncoder();
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const hex = (bytes) => bytes.reduce((text, byte) => text + HEX[byte], "");
const unhex = (text) => Uint8Array.from(text.match(/[0-9a-f]{2}/g) ?? [], (two) => Number(`0x${two}`));
const word = (n) => BigInt.asUintN(256, BigInt(n)).toString(16).padStart(64, "0");
const u32 = (n) => [n >>> 24, n >>> 16, n >>> 8, n];
const u64 = (n) => [...u32(n / 2 ** 32), ...u32(n)];
const LP = (text) => join(u32(utf8.encode(text).length), text);

function join(...parts) {
  const pieces = parts.map((part) => (typeof part === "string" ? utf8.encode(part) : part));
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  for (let i = 0, at = 0; i < pieces.length; at += pieces[i++].length) whole.set(pieces[i], at);
  return whole;
}

/** SHA-256 of the parts joined: by Node, which answers at once, or by the browser. */
export async function H(...parts) {
  const hash = globalThis.process
    ?.getBuiltinModule?.("node:crypto")
    .createHash("sha256")
    .update(join(...parts));
  return hash?.digest("hex") ?? hex(new Uint8Array(await crypto.subtle.digest("SHA-256", join(...parts))));
}

/** Ethereum's hash: Keccak (FIPS 202, section 3) of rate 136, padded with 0x01 in place of SHA-3's 0x06. */
export function keccak256(message) {
  const padded = join(message, [1], Array(135 - (message.length % 136)).fill(0));
  padded[padded.length - 1] ^= 0x80;
  const rotl = (x, n) => BigInt.asUintN(64, (x << BigInt(n)) | (x >> BigInt(64 - n)));
  let s = /** @type {bigint[]} */ (Array(25).fill(0n));
  for (const [at, byte] of padded.entries()) {
    s[(at % 136) >> 3] ^= BigInt(byte) << BigInt(8 * (at % 8));
    for (let round = 0, bits = 1; at % 136 === 135 && round < 24; round++) {
      const c = [0, 1, 2, 3, 4].map((x) => s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20]);
      s = s.map((lane, i) => lane ^ c[(i + 4) % 5] ^ rotl(c[(i + 1) % 5], 1));
      for (let t = 1, x = 1, y = 0, moved = s[1]; t <= 24; t++) {
        [x, y] = [y, (2 * x + 3 * y) % 5];
        [s[x + 5 * y], moved] = [rotl(moved, ((t * (t + 1)) / 2) % 64), s[x + 5 * y]];
      }
      s = s.map((lane, i) => lane ^ (~s[i - (i % 5) + ((i + 1) % 5)] & s[i - (i % 5) + ((i + 2) % 5)]));
      for (let j = 0; j < 7; j++, bits = (bits << 1) ^ ((bits >> 7) * 0x171))
        s[0] ^= BigInt(bits & 1) << BigInt(2 ** j - 1);
    }
  }
  return hex(join(...s.slice(0, 4).map((lane) => unhex(word(lane).slice(48)).reverse())));
}

// The tree: section 6; RFC 9162, section 2.1. A head is { size, root }.
const leaf = (event_hash) => H([0], unhex(event_hash));
const parent = (left, right) => H([1], unhex(left), unhex(right));
const rootOf = async (frontier) =>
  frontier.length === 0 ? H() : frontier.reduceRight(async (right, left) => parent(left, await right));

/** Reads a proof (2.1.3.1, 2.1.4.1) from its end: the hashes it gives for the first m of n leaves, and for all of them. */
async function climb(m, n, nodes, isEnd) {
  need(nodes.length > 0, "a proof is too short");
  const last = nodes.pop();
  if (isEnd(m, n)) return [last, last];
  const k = 2 ** ((n - 1).toString(2).length - 1);
  const [first, all] = await (m <= k ? climb(m, k, nodes, isEnd) : climb(m - k, n - k, nodes, isEnd));
  return m <= k ? [first, await parent(all, last)] : [await parent(last, first), await parent(last, all)];
}

async function checkInclusion(event_hash, position, { size, root }, proof) {
  need(position <= size, `position ${position} is beyond the tree of size ${size}`);
  const nodes = [await leaf(event_hash), ...proof];
  const [, found] = await climb(position, size, nodes, (_, n) => n === 1);
  need(
    found === root && nodes.length === 0,
    `a proof does not lead from the event to the root of size ${size}`,
  );
}

async function checkConsistency(first, second, proof) {
  const isWhole = first.size === second.size || /^10*$/.test(first.size.toString(2));
  const nodes = isWhole ? [first.root, ...proof] : [...proof];
  const sizes = [first.size, second.size];
  const found = first.size === 0 ? [await H(), second.root] : await climb(...sizes, nodes, (m, n) => m === n);
  const holds =
    first.size <= second.size && nodes.length === 0 && found.join() === [first.root, second.root].join();
  need(holds, `the tree of size ${second.size} is not shown to extend that of size ${first.size}`);
}

// Checkpoints: section 6.
function unbase64(text) {
  need(btoa(atob(text)) === text, `${text} is not base64`);
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** The tree head in a note and its signatures, yet unchecked. */
function readNote(note, origin) {
  const form = /^((.+)\n(0|[1-9]\d{0,15})\n(.{44})\n)\n((?:— [^\s+]+ \S+\n)+)$/;
  const [, text, name, size, root, lines] = form.exec(note) ?? [];
  need(text && Number.isSafeInteger(Number(size)), "it is no checkpoint in a signed note");
  need(name === origin, `it is of the log ${JSON.stringify(name)}`);
  const signatures = (lines.match(/\S+ \S+(?=\n)/g) ?? []).map((line) => line.split(" "));
  const signed = signatures.map(([signer, data]) => ({ signer, data: unbase64(data) }));
  return { text, signed, size: Number(size), root: hex(unbase64(root)) };
}

async function checkSignatures({ text, signed }, key, origin) {
  need(key, "there is no key to check it with");
  const [, name, id, data] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(key) ?? [];
  const typed = unbase64(data ?? "");
  const isOurs = name === origin && typed[0] === 1 && (await H(name, "\n", typed)).startsWith(id);
  need(isOurs && typed.length === 33, `${key} is no Ed25519 key of ${origin}`);
  const own = signed.filter(({ signer, data }) => signer === name && hex(data.slice(0, 4)) === id);
  need(own.length > 0, `it is not signed by ${name}+${id}`);
  const imported = await crypto.subtle.importKey("raw", typed.slice(1), "Ed25519", false, ["verify"]);
  for (const { data } of own)
    need(
      await crypto.subtle.verify("Ed25519", imported, data.slice(4), utf8.encode(text)),
      "its signature is wrong",
    );
}

// Anchors: sections 6 and 8; Ethereum's Yellow Paper, appendices B and D.
/** The items in these bytes of RLP: strings as hex, lists as arrays. */
function rlp(bytes) {
  const items = [];
  for (let at = 0; at < bytes.length; ) {
    const [tag, base] = [bytes[at], bytes[at] < 0xc0 ? 0x80 : 0xc0];
    const start = at + (tag < 0x80 ? 0 : 1 + Math.max(0, tag - base - 55));
    const length =
      tag < 0x80 ? 1 : tag - base < 56 ? tag - base : Number(`0x${hex(bytes.slice(at + 1, start))}`);
    at = start + length;
    need(at <= bytes.length, "its RLP is cut short");
    items.push(base === 0x80 ? hex(bytes.slice(start, at)) : rlp(bytes.slice(start, at)));
  }
  return items;
}

/** What a Merkle-Patricia proof leads to, from a root by the nibbles of keccak256(key): RLP, decoded. */
function trieValue(root, key, proof) {
  const nodes = proof.map(unhex);
  let way = keccak256(unhex(key));
  for (let at = root; ; ) {
    const bytes = typeof at === "string" ? (nodes.shift() ?? []) : undefined;
    need(!bytes || keccak256(bytes) === at, "a node of its state proof is not the one that was named");
    const items = bytes ? rlp(bytes)[0] : at;
    const isBranch = items.length === 17;
    const [flag, path] = isBranch
      ? [0, way[0]]
      : [Number(items[0][0]), items[0].slice(items[0][0] % 2 ? 1 : 2)];
    need(
      (isBranch || items.length === 2) && path !== undefined && way.startsWith(path),
      "its state proof leads elsewhere",
    );
    at = items[isBranch ? Number(`0x${path}`) : 1];
    way = way.slice(path.length);
    if (flag < 2) continue;
    need(way === "" && nodes.length === 0, "its state proof ends elsewhere");
    return rlp(unhex(at))[0];
  }
}

async function ask(url, method, ...params) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const { result } = await answer.json();
  need(result, `the chain does not answer ${method}`);
  return result;
}

/** Rejects unless the contract kept the head; resolves to what was believed or found, and to the head kept now. */
async function checkAnchor(
  { size, root, network, contract, signer, transaction, header, ...proofs },
  origin,
  options,
) {
  for (const [name, stated] of Object.entries({ network, contract, signer }))
    need(
      !options[name] || options[name].toLowerCase() === stated,
      `its ${name} is ${stated}, not ${options[name]}`,
    );
  const selector = (signature) => keccak256(utf8.encode(signature)).slice(0, 8);
  const log_key = await H(origin);
  const [[chain, , , , , to, , input]] = rlp(unhex(transaction.slice(4)));
  const isOurs =
    transaction.startsWith("0x02") && `eip155:${Number(`0x${chain}`)}` === network && `0x${to}` === contract;
  need(isOurs, "its transaction is not one of this network to this contract");
  const call = selector("anchor(bytes32,uint64,bytes32,bytes32[])") + log_key + word(size) + root + word(128);
  const length = 328 + 64 * Number(`0x${input.slice(264, 328)}`);
  need(input.startsWith(call) && input.length === length, "its transaction brings another head");
  const [fields] = rlp(unhex(header));
  const [number, hash] = [Number(`0x${fields[8]}`), `0x${keccak256(unhex(header))}`];
  const account = trieValue(fields[3], contract, proofs.account_proof);
  const slot = keccak256(unhex(log_key + keccak256(unhex(word(signer) + word(0)))));
  const kept = trieValue(account[2], slot, proofs.root_proof);
  const numbers = trieValue(account[2], word(BigInt(`0x${slot}`) + 1n), proofs.numbers_proof);
  const isKept = word(`0x${kept}`) === root && BigInt.asUintN(64, BigInt(`0x${numbers}`)) === BigInt(size);
  need(isKept, "the contract kept another head");
  if (!options.rpc) return { said: `believed that block ${number} ${hash} is of ${network} and final` };
  const own = Number(await ask(options.rpc, "eth_chainId"));
  const block = await ask(options.rpc, "eth_getBlockByNumber", `0x${number.toString(16)}`, false);
  need(
    `eip155:${own}` === network && block.hash === hash,
    `block ${number} of the chain is another than ${hash}`,
  );
  const final = Number((await ask(options.rpc, "eth_getBlockByNumber", "finalized", false)).number) >= number;
  const data = `0x${selector("head(address,bytes32)")}${word(signer)}${log_key}`;
  const now = await ask(options.rpc, "eth_call", { to: contract, data }, "latest");
  const head = { size: Number(now.slice(0, 66)), root: now.slice(66, 130) };
  return { said: `block ${number} is of ${network} and ${final ? "" : "not yet "}final`, head };
}

// Lines: section 7. P is a number above 0, N one from 0, I one of 31 bits, S text, H a hash, X bytes; * a list, ? or null.
const like = (pattern) => (value) => typeof value === "string" && pattern.test(value);
const upTo = (least, most) => (value) => Number.isSafeInteger(value) && value >= least && value <= most;
const KINDS = {
  N: upTo(0, Number.MAX_SAFE_INTEGER),
  P: upTo(1, Number.MAX_SAFE_INTEGER),
  I: upTo(1, 2 ** 31 - 1),
  S: (value) => typeof value === "string" && value.isWellFormed(),
  H: like(/^[0-9a-f]{64}$/),
  X: like(/^0x([0-9a-f]{2})*$/),
  time: like(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  uuid: like(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  true: (value) => value === true,
  position: (value) => fits(value, "position:N log_hash:H"),
  version: (value) => fits(value, "version:P event_hash:H"),
};
const fits = (value, form) =>
  Object.keys(value).join() === form.replace(/:\S+/g, "").replaceAll(" ", ",") &&
  form.split(" ").every((member) => {
    const [, name, kind, mark] = /(\w+):(\w+)(.?)/.exec(member) ?? [];
    const one = value[name];
    return mark === "*"
      ? Array.isArray(one) && one.every(KINDS[kind])
      : (mark && one === null) || KINDS[kind](one);
  });
const COLUMNS =
  "tenant:S stream_id:S version:P event_id:uuid type:S schema_version:I recorded_at_us:N payload:S meta:S " +
  "payload_hash:H meta_hash:H prev_hash:H event_hash:H";
const COMMIT = "idem_key:S? request_hash:H? commit_size:I?";
const FORMS = {
  "tallystick-log/1": "format:S log_id:I origin:S exported_at:time first_position:P previous_log_hash:H",
  "tallystick-stream/1": "format:S log_id:I origin:S exported_at:time tenant:S stream_id:S",
  "event of tallystick-log/1": `position:P ${COLUMNS} log_hash:H ${COMMIT}`,
  "event of tallystick-stream/1": `${COLUMNS} ${COMMIT}`,
  "end of tallystick-log/1": "end:true events:N head:position",
  "end of tallystick-stream/1": "end:true events:P head:version",
  key: "evidence:S key:S",
  frontier: "evidence:S size:N hashes:H*",
  checkpoint: "evidence:S note:S",
  anchor:
    "evidence:S size:P root:H network:S contract:X signer:X transaction:X header:X " +
    "account_proof:X* root_proof:X* numbers_proof:X*",
  consistency: "evidence:S first:N second:N proof:H*",
  inclusion: "evidence:S version:P position:P size:P proof:H*",
};
const NAMES = ["format", "chain", "order", "commits", "tree", "signature", "anchor", "completeness"];
const RANKS = ["key", "frontier", "checkpoint", "anchor", "consistency"];

/** What a line says and which form it has, in an export of `format`. */
function readLine(bytes, format) {
  const line = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  const value = JSON.parse(line);
  const kind = value.format ?? value.evidence ?? `${value.end ? "end" : "event"} of ${format}`;
  need(
    (value.format === undefined) === (format !== undefined),
    "a header stands where none belongs, or none where one does",
  );
  need(Object.hasOwn(FORMS, kind) && fits(value, FORMS[kind]), `it is not of the form of: ${kind}`);
  const reescape = (text, isName) => (isName ? text : JSON.stringify(JSON.parse(text)));
  const plain = value.event_id ? line.replace(/"[^"\\]*(?:\\.[^"\\]*)*"(:?)/g, reescape) : line;
  need(plain === JSON.stringify(value), "it is not written as section 7 has it");
  return { kind, value };
}

/** The lines of a text, packed or not. */
async function* linesOf(source) {
  const chunks =
    typeof source === "string" ? [utf8.encode(source)] : source instanceof Uint8Array ? [source] : source;
  const iterator = (async function* () {
    yield* chunks;
  })();
  const { value } = await iterator.next();
  const plain = new ReadableStream({
    start: (to) => to.enqueue(value ?? new Uint8Array()),
    async pull(to) {
      const { value, done } = await iterator.next();
      if (done) to.close();
      else to.enqueue(value);
    },
  });
  let rest = new Uint8Array();
  for await (const chunk of value?.[0] === 0x1f
    ? plain.pipeThrough(new DecompressionStream("gzip"))
    : plain) {
    rest = join(rest, chunk);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield rest.subarray(0, end);
      rest = rest.subarray(end + 1);
    }
    need(rest.length <= 2 ** 24, "a line is longer than 16 MiB");
  }
  need(rest.length === 0, "the last line does not end");
}

// Checking: section 8.
/** Holds the first fault of each verdict (of the tree, that of the smallest size), and the tree heads. */
class Audit {
  faults = /** @type {Record<string, { first_bad: number, reason: string }>} */ ({});
  heads = /** @type {{ kind: string, size: number, root: string, sound: boolean }[]} */ ([]);
  roots = new Map();
  said = /** @type {string[]} */ ([]);

  constructor(origin, options) {
    this.origin = origin;
    this.options = options;
    this.key = options.key;
  }

  must(name, at, holds, reason) {
    const known = this.faults[name];
    if (!holds && (!known || (name === "tree" && at < known.first_bad)))
      this.faults[name] = { first_bad: at, reason };
  }

  /** What a step answers; undefined when it fails. */
  async tries(name, at, step) {
    try {
      return (await step()) ?? true;
    } catch (error) {
      this.must(name, at, false, /** @type {Error} */ (error).message);
    }
  }

  add(kind, { size, root }, sound) {
    const known = this.roots.get(size) ?? root;
    this.must(
      "tree",
      size,
      root === known,
      `tree heads of size ${size} differ: ${root} (${kind}) and ${known}`,
    );
    this.roots.set(size, known);
    this.heads.push({ kind, size, root, sound: Boolean(sound) });
  }

  async checkpoint(note, kind) {
    const head = await this.tries("signature", 0, () => readNote(note, this.origin));
    if (head)
      this.add(
        kind,
        head,
        await this.tries("signature", head.size, () => checkSignatures(head, this.key, this.origin)),
      );
  }

  async anchor(one) {
    const shown = await this.tries("anchor", one.size, () => checkAnchor(one, this.origin, this.options));
    this.add("anchored", one, shown);
    if (shown) this.said.push(`${one.size}: ${shown.said}`);
    if (shown?.head) this.add("kept by the contract", shown.head, true);
  }

  /** What was named must be there. */
  missing() {
    const { key, network, contract, signer, rpc } = this.options;
    const isSigned = this.heads.some(({ kind }) => kind === "signed" || kind === "held");
    this.must("signature", 0, !key || isSigned, "there is no checkpoint, though a key is given");
    const isAnchored = this.heads.some(({ kind }) => kind === "anchored");
    this.must(
      "anchor",
      0,
      isAnchored || !(network ?? contract ?? signer ?? rpc),
      "there is no anchor, though one is asked for",
    );
  }

  verdicts(details) {
    const one = ([name, detail]) => ({
      name,
      ok: !(name in this.faults),
      detail: String(detail),
      ...this.faults[name],
    });
    const verdicts = Object.entries(details).map(one);
    return { ok: verdicts.every(({ ok }) => ok), verdicts };
  }
}

const eventHash = (origin, row) =>
  H(
    ...["TS/EVENT/1\0", LP(origin), LP(row.tenant), LP(row.stream_id), u64(row.version), unhex(row.event_id)],
    ...[LP(row.type), u32(row.schema_version), u64(row.recorded_at_us)],
    ...[row.payload_hash, row.meta_hash, row.prev_hash].map(unhex),
  );
const commitHash = ({ idem_key, request_hash, commit_size }) =>
  H("TS/COMMIT/1\0", LP(idem_key ?? ""), unhex(request_hash ?? word(0)), u32(commit_size));

/** The events of an export, one after another. */
class Events extends Audit {
  streams = new Map();
  events = 0;
  commits = 0;
  time = 0;
  links = /** @type {{ first: number, second: number, proof: string[] }[]} */ ([]);
  joined = new Set();
  frontier = [];
  rank = 0;
  ended = false;
  proven = /** @type {number[][]} */ ([]);

  constructor(header, options) {
    super(header.origin, options);
    this.header = header;
    this.isLog = header.format === "tallystick-log/1";
    this.first = header.first_position ?? 1;
    this.last = this.first - 1;
    this.hash = header.previous_log_hash ?? "";
    this.lacking = this.isLog && this.first === 1 ? 0 : Number.NaN;
    this.leaves = this.lacking;
  }

  async begin() {
    const { origin, options, first } = this;
    this.must(
      "completeness",
      first,
      origin === (options.origin ?? origin),
      `the origin is ${origin}, not ${options.origin}`,
    );
    const isGenesis = this.hash === (await H("TS/LOG/1\0", LP(origin)));
    this.must("order", first, !this.isLog || first > 1 || isGenesis, "previous_log_hash is not log_hash_0");
    if (this.isLog) this.meet();
  }

  /** Holds the last position against what the auditor noted of it. */
  meet() {
    for (const { position, hash } of this.options.heads ?? [])
      if (position === this.last)
        this.must(
          "completeness",
          Math.max(position, this.first),
          this.hash.startsWith(hash),
          `${position} has the hash ${this.hash}, not ${hash} as held: history was rewritten`,
        );
  }

  async take({ kind, value }) {
    need(!this.ended, "a line follows the last line");
    if (kind.startsWith("event")) return this.event(value);
    if (kind.startsWith("end")) return this.end(value);
    if (kind === "inclusion") return this.inclusion(value);
    const rank = RANKS.indexOf(kind);
    need(this.events === 0 && rank >= this.rank, `${kind} stands too late`);
    this.rank = rank < 2 ? rank + 1 : rank;
    if (kind === "key") this.key ??= value.key;
    if (kind === "checkpoint") await this.checkpoint(value.note, "signed");
    if (kind === "anchor") await this.anchor(value);
    if (kind === "consistency") this.links.push(value);
    if (kind !== "frontier") return;
    const isRight =
      this.isLog &&
      value.size === this.last &&
      value.hashes.length === value.size.toString(2).replaceAll("0", "").length;
    this.must(
      "tree",
      value.size,
      isRight,
      `the frontier is not one of the ${this.last} leaves before the export`,
    );
    if (isRight) [this.leaves, this.frontier] = [value.size, value.hashes];
  }

  async event(row) {
    const { origin, isLog, first, last, header } = this;
    const must = (name, holds, reason) => this.must(name, row.position ?? row.version, holds, reason);
    if (this.events === 0 && !this.prepared) await this.prepare();
    const [genesis, payload, meta, event_hash, log_hash, leaf_hash] = await Promise.all([
      H("TS/STREAM/1\0", LP(origin), LP(row.tenant), LP(row.stream_id)),
      H("TS/PAYLOAD/1\0", row.payload),
      H("TS/META/1\0", row.meta),
      eventHash(origin, row),
      isLog && H("TS/LOG/1\0", unhex(this.hash), u64(row.position), unhex(row.event_hash)),
      this.leaves >= 0 && leaf(row.event_hash),
    ]);
    const isKnown = first === 1 || row.version === 1;
    const before = this.streams.get(genesis) ?? (isKnown ? { version: 0, event_hash: genesis } : undefined);
    must("chain", payload === row.payload_hash, `payload_hash is ${row.payload_hash}, computed ${payload}`);
    must("chain", meta === row.meta_hash, `meta_hash is ${row.meta_hash}, computed ${meta}`);
    must("chain", event_hash === row.event_hash, `event_hash is ${row.event_hash}, computed ${event_hash}`);
    if (before) {
      must(
        "chain",
        row.version === before.version + 1,
        `version ${row.version} stands where ${before.version + 1} belongs`,
      );
      must(
        "chain",
        row.prev_hash === before.event_hash,
        `prev_hash is ${row.prev_hash}, not ${before.event_hash}`,
      );
    }
    this.streams.set(genesis, { version: row.version, event_hash: row.event_hash });
    if (isLog) {
      must("order", row.position === last + 1, `position ${row.position} stands where ${last + 1} belongs`);
      must("order", log_hash === row.log_hash, `log_hash is ${row.log_hash}, computed ${log_hash}`);
      must(
        "order",
        row.recorded_at_us >= this.time,
        "recorded_at_us is earlier than that of the event before",
      );
      if (leaf_hash) await this.grow(leaf_hash);
    } else
      must(
        "chain",
        row.tenant === header.tenant && row.stream_id === header.stream_id,
        "it is of another stream",
      );
    await this.commit(row, must);
    [this.last, this.time, this.hash] = [
      row.position ?? row.version,
      row.recorded_at_us,
      row.log_hash ?? row.event_hash,
    ];
    this.row = row;
    this.meet();
    this.events += 1;
    if (this.events % 1000 === 0) await this.options.onEvents?.(this.events);
  }

  async commit(row, must) {
    const bound = await this.tries("commits", row.position ?? row.version, () => ({
      hash: JSON.parse(row.meta).commit,
    }));
    if (row.commit_size === null) {
      const isInner = row.idem_key === null && row.request_hash === null && bound?.hash === undefined;
      must("commits", isInner, "it begins no commit, but has idem_key, request_hash or meta.commit");
      must("commits", this.lacking !== 0, "it is an event of no commit");
      this.lacking -= 1;
    } else {
      const hash = await commitHash(row);
      must("commits", bound?.hash === hash, `meta.commit is ${bound?.hash}, computed ${hash}`);
      must(
        "commits",
        row.idem_key !== "" && (row.idem_key === null) === (row.request_hash === null),
        "idem_key is empty or alone",
      );
      must(
        "commits",
        !(this.lacking > 0),
        `a commit begins while the one before lacks ${this.lacking} events`,
      );
      this.lacking = this.isLog ? row.commit_size - 1 : Number.NaN;
      this.commits += 1;
    }
  }

  prepare() {
    this.prepared = true;
    this.wanted = new Set([
      ...this.roots.keys(),
      ...this.links.flatMap(({ first, second }) => [first, second]),
    ]);
  }

  async computeRoot() {
    if (!this.wanted.has(this.leaves)) return;
    const root = await rootOf(this.frontier);
    const stated = this.roots.get(this.leaves) ?? root;
    this.must(
      "tree",
      this.leaves,
      stated === root,
      `the tree of size ${this.leaves} has the root ${stated}, computed ${root}`,
    );
    this.roots.set(this.leaves, root);
    this.joined.add(this.leaves);
  }

  async grow(hash) {
    await this.computeRoot();
    let node = hash;
    for (let n = this.leaves++; n % 2 === 1; n = (n - 1) / 2) node = await parent(this.frontier.pop(), node);
    this.frontier.push(node);
  }

  async inclusion({ version, position, size, proof }) {
    const isNext = !this.isLog && this.row?.version === version && this.proven.at(-1)?.[0] !== version;
    need(isNext, "an inclusion line stands elsewhere than after its event");
    this.must(
      "tree",
      version,
      position > (this.proven.at(-1)?.[1] ?? 0),
      "positions do not rise with versions",
    );
    const head = { size, root: this.roots.get(size) };
    const holds = await this.tries("tree", version, () =>
      checkInclusion(this.row.event_hash, position, head, proof),
    );
    if (holds) this.proven.push([version, position]);
  }

  end(value) {
    this.ended = true;
    const [at, hash] = Object.values(value.head);
    const isAll = value.events === this.events && at === this.last && hash === this.hash;
    this.must(
      "completeness",
      this.last + 1,
      isAll,
      `the last line speaks of ${value.events} events and the head ${at}:${hash}`,
    );
  }

  /** Joins the tree heads that were not computed to those that were, in the export of a stream to each other. */
  async joinHeads() {
    if (!this.prepared) this.prepare();
    await this.computeRoot();
    const [one] = this.roots.keys();
    if (!this.isLog && one !== undefined) this.joined.add(one);
    for (const { first, second, proof } of this.links) {
      const [old, root] = [this.roots.get(first), this.roots.get(second)];
      this.must(
        "tree",
        second,
        old && root,
        `a consistency line from ${first} to ${second} joins no known tree heads`,
      );
      if (old && root)
        await this.tries("tree", second, () =>
          checkConsistency({ size: first, root: old }, { size: second, root }, proof),
        );
    }
    for (let before = -1; before !== this.joined.size; ) {
      before = this.joined.size;
      for (const { first, second } of this.links)
        if (this.joined.has(first) || this.joined.has(second)) this.joined.add(first).add(second);
    }
    for (const { kind, size } of this.heads)
      this.must(
        "tree",
        size,
        this.joined.has(size),
        `the tree head of size ${size} (${kind}) is joined to nothing`,
      );
  }

  async finish() {
    await this.joinHeads();
    this.missing();
    const { first, last, events, heads, options } = this;
    this.must(
      "commits",
      last + 1,
      !(this.lacking > 0),
      `the last commit lacks ${this.lacking} of its events`,
    );
    this.must("completeness", last + 1, this.ended, "the last line is missing: truncated");
    this.must("completeness", last + 1, events > 0 || this.isLog, "a stream without events has no export");
    for (const { position } of options.heads ?? []) {
      this.must(
        "completeness",
        first,
        position >= first - 1,
        `no event stands at ${position}, which is held`,
      );
      this.must(
        "completeness",
        last + 1,
        position <= last,
        `no event stands at ${position}, which is held: the end is cut`,
      );
    }
    const reach = (kind) => {
      const sizes = heads.filter(
        (head) =>
          head.kind === kind &&
          head.sound &&
          this.joined.has(head.size) &&
          this.roots.get(head.size) === head.root,
      );
      const size = Math.max(0, ...sizes.map((head) => head.size));
      return this.isLog
        ? Math.min(size, last)
        : Math.max(0, ...this.proven.filter(([, position]) => position <= size).map(([version]) => version));
    };
    const reaches = {
      anchored: reach("anchored"),
      signed: reach("signed"),
      held: Math.max(reach("held"), ...(options.heads ?? []).map((h) => h.position)),
    };
    const upTo = Object.entries(reaches)
      .filter(([, at]) => at > 0)
      .map(([kind, at]) => `${kind} up to ${at}`);
    return this.verdicts({
      format: `${events} events of ${this.origin}`,
      chain: `${this.streams.size} streams`,
      order: this.isLog ? `positions ${first} to ${last}` : "not shown by one stream",
      commits: `${this.commits} commits`,
      tree: `${heads.length} tree heads`,
      signature: `${heads.length} by ${this.key}${options.key ? "" : ", which the pack names and was trusted"}`,
      anchor: this.said.join("; ") || "no anchor",
      completeness: [...upTo, `unproven beyond ${Math.max(0, ...Object.values(reaches))}`].join(", "),
    });
  }
}

/**
 * Judges an export and its evidence; `first_bad` is a position, in the export of a stream a version, of a tree head its size.
 * @param {AsyncIterable<Uint8Array> | Uint8Array | string} source
 * @param {Options} options
 * @returns {Promise<{ ok: boolean, verdicts: Verdict[], head: { position: number, hash: string } | null, events: number }>}
 */
export async function verifyPack(source, options = {}) {
  /** @type {any} */
  let pack;
  const unread = new Audit("", options);
  const fault = (error) => (pack ?? unread).must("format", (pack?.last ?? 0) + 1, false, error.message);
  const read = async (bytes) => {
    const line = readLine(bytes, pack?.header.format);
    if (pack) return pack.take(line);
    pack = new Events(line.value, options);
    return pack.begin();
  };
  try {
    for await (const bytes of linesOf(source)) {
      await read(bytes).catch(fault);
      if (!pack) break;
    }
  } catch (error) {
    fault(error);
  }
  if (pack)
    return { ...(await pack.finish()), head: { position: pack.last, hash: pack.hash }, events: pack.events };
  for (const name of NAMES) unread.must(name, 1, false, "there is no header to go by");
  return { ...unread.verdicts(Object.fromEntries(NAMES.map((name) => [name, ""]))), head: null, events: 0 };
}

/**
 * Judges the answer of GET /log/proof/{event_id}: an event, a checkpoint, an anchor, and how the one is in the others.
 * @param {any} answer
 * @param {Options} options
 * @returns {Promise<{ ok: boolean, verdicts: Verdict[] }>}
 */
export async function verifyProof(answer, options = {}) {
  const audit = new Audit(answer?.origin, options);
  const { event = {}, checkpoint, inclusion, anchor } = answer ?? {};
  audit.key ??= answer?.key;
  const at = Number(event.position);
  const shown = { full: false };
  await audit.tries("format", at, async () => {
    need(
      KINDS.S(audit.origin) && KINDS.P(event.position) && KINDS.H(event.event_hash),
      "origin, position or event_hash is missing",
    );
    need(
      options.origin === undefined || options.origin === audit.origin,
      `the origin is ${audit.origin}, not ${options.origin}`,
    );
    need(
      checkpoint || anchor,
      `nothing proves the event yet: ${answer.pending?.detail ?? "ask again later"}`,
    );
  });
  await audit.tries("chain", at, async () => {
    for (const [name, tag] of [
      ["payload", "PAYLOAD"],
      ["meta", "META"],
    ])
      if (event[name] !== undefined)
        need(
          (await H(`TS/${tag}/1\0`, event[name])) === event[`${name}_hash`],
          `${name}_hash is not that of the ${name}`,
        );
    const columns = FORMS["event of tallystick-stream/1"].match(/\w+(?=:)/g) ?? [];
    shown.full = columns
      .slice(0, -3)
      .every((name) => name === "payload" || name === "meta" || event[name] !== undefined);
    need(
      !shown.full || (await eventHash(audit.origin, event)) === event.event_hash,
      "event_hash is not the one computed",
    );
  });
  const include = async ({ size, proof }) => {
    await audit.tries("tree", size, () =>
      checkInclusion(event.event_hash, at, { size, root: audit.roots.get(size) }, proof),
    );
  };
  if (checkpoint) await audit.tries("signature", 0, () => audit.checkpoint(checkpoint, "signed"));
  if (checkpoint) await audit.tries("tree", at, () => include(inclusion));
  if (anchor) await audit.tries("anchor", at, () => audit.anchor(anchor));
  if (anchor) await audit.tries("tree", at, () => include(anchor.inclusion));
  audit.missing();
  return audit.verdicts({
    format: `position ${at} of ${audit.origin}`,
    chain: shown.full
      ? "event_hash computed from every column"
      : "event_hash as stated: not every column is shown",
    tree: audit.heads.map(({ kind, size }) => `in the tree of size ${size} (${kind})`).join(", "),
    signature: checkpoint
      ? `by ${audit.key}${options.key ? "" : ", which the answer names and was trusted"}`
      : "no checkpoint",
    anchor: audit.said.join("; ") || "no anchor yet",
  });
}

const HELP = `node verifier.js PACK [--key K] [--origin O] [--head position:hash] [--checkpoint FILE] [--network N]
  [--contract C] [--signer S] [--rpc URL] [--json]

Checks an export of a log or stream, packed with gzip or not, by docs/event-log.md; exits 1 when a verdict is red.
--head and --checkpoint may be repeated: what the auditor noted earlier.`;

async function main(args) {
  const { readFileSync, createReadStream } = await import("node:fs");
  const options = { heads: [], checkpoints: [] };
  let [pack, json] = ["", false];
  while (args.length > 0) {
    const arg = args.shift();
    const name = /^--(key|origin|head|checkpoint|network|contract|signer|rpc)$/.exec(arg)?.[1];
    const value = name && args.shift();
    if (arg === "--json") json = true;
    else if (name === "head")
      options.heads.push({ position: Number(value.split(":")[0]), hash: value.split(":")[1] });
    else if (name === "checkpoint") options.checkpoints.push(readFileSync(value, "utf8"));
    else if (name) options[name] = value;
    else pack = arg === "--help" || pack ? "" : arg;
  }
  if (!pack) return console.log(HELP);
  const report = await verifyPack(createReadStream(pack), options);
  const line = ({ ok, name, detail, first_bad, reason }) =>
    `${ok ? "ok  " : "FAIL"} ${name.padEnd(12)} ${ok ? detail : `at ${first_bad}: ${reason}`}`;
  console.log(json ? JSON.stringify(report) : report.verdicts.map(line).join("\n"));
  process.exitCode = report.ok ? 0 : 1;
}

const script = globalThis.process?.argv?.[1];
if (script?.endsWith("verifier.js") && import.meta.url.endsWith("verifier.js"))
  await main(process.argv.slice(2));
