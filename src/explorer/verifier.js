/**
 * The second verifier, written from docs/event-log.md alone: one file that needs nothing but Node 20 or a browser.
 * @typedef {{ name: string, ok: boolean, detail: string, first_bad?: number, reason?: string }} Verdict
 * @typedef {{ origin?: string, key?: string, heads?: { position: number, hash: string }[], checkpoints?: string[],
 *   network?: string, contract?: string, signer?: string, rpc?: string, onEvents?: (count: number) => unknown }}
 *   Options what the auditor knows; heads of a stream are version and event_hash, 8 digits do
 */
function need(condition, otherwise) {
  if (!condition) throw new Error(otherwise);
}

// Bytes and hashes: section 2. Hashes are hex throughout.
const utf8 = new TextEncoder();
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const hex = (bytes) => bytes.reduce((text, byte) => text + (byte < 16 ? "0" : "") + byte.toString(16), "");
const digit = (code) => (code < 58 ? code - 48 : code - 87);
/** The bytes of lowercase hex, after 0x or not, UUIDs' dashes left out. */
function unhex(text) {
  const digits = text.replaceAll("-", "");
  const bytes = new Uint8Array(digits.length / 2 - (digits[1] === "x" ? 1 : 0));
  for (let i = digits.length - 2, at = bytes.length - 1; at >= 0; i -= 2, at--)
    bytes[at] = 16 * digit(digits.charCodeAt(i)) + digit(digits.charCodeAt(i + 1));
  return bytes;
}
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
const sha256 = globalThis.process?.getBuiltinModule?.("node:crypto")?.createHash;
export const H = async (...parts) =>
  sha256
    ? sha256("sha256")
        .update(join(...parts))
        .digest("hex")
    : hex(new Uint8Array(await crypto.subtle.digest("SHA-256", join(...parts))));
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
/** Reads a proof (2.1.3.1, 2.1.4.1) from its end: what it makes of the first m of n leaves, and of all. */
async function climb(m, n, nodes, isEnd) {
  need(nodes.length > 0, "a proof is too short");
  const last = nodes.pop();
  if (isEnd(m, n)) return [last, last];
  const k = 2 ** ((n - 1).toString(2).length - 1);
  const [first, all] = await (m <= k ? climb(m, k, nodes, isEnd) : climb(m - k, n - k, nodes, isEnd));
  return m <= k ? [first, await parent(all, last)] : [await parent(last, first), await parent(last, all)];
}
async function checkInclusion(event_hash, position, size, root, proof) {
  need(position <= size, `position ${position} is beyond the tree of size ${size}`);
  const nodes = [await leaf(event_hash), ...proof];
  const [, found] = await climb(position, size, nodes, (_, n) => n === 1);
  need(found === root && nodes.length === 0, `a proof does not lead to the root of size ${size}`);
}
async function checkConsistency(m, old, n, root, proof) {
  const nodes = m === n || /^10*$/.test(m.toString(2)) ? [old, ...proof] : [...proof];
  const climbed = async () => (m === 0 ? [await H(), root] : climb(m, n, nodes, (a, b) => a === b));
  const isSo = m <= n && (await climbed()).join() === [old, root].join() && nodes.length === 0;
  need(isSo, `the tree of size ${n} is not shown to extend that of size ${m}`);
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
  const signed = lines
    .trimEnd()
    .split("\n")
    .map((line) => line.split(" "));
  const signatures = signed.map(([, signer, data]) => ({ signer, bytes: unbase64(data) }));
  return { text, signatures, size: Number(size), root: hex(unbase64(root)) };
}
async function checkSignatures({ text, signatures }, key, origin) {
  const [, name, id, data] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(key ?? "") ?? [];
  const typed = unbase64(data ?? "");
  const isOurs = name === origin && typed[0] === 1 && (await H(name, "\n", typed)).startsWith(id);
  need(isOurs && typed.length === 33, key ? `${key} is no Ed25519 key of ${origin}` : "no key is known");
  const own = signatures.filter(({ signer, bytes }) => signer === name && hex(bytes.slice(0, 4)) === id);
  need(own.length > 0, `it is not signed by ${name}+${id}`);
  const imported = await crypto.subtle.importKey("raw", typed.slice(1), "Ed25519", false, ["verify"]);
  const isBy = ({ bytes }) => crypto.subtle.verify("Ed25519", imported, bytes.slice(4), utf8.encode(text));
  need((await Promise.all(own.map(isBy))).every(Boolean), "its signature is wrong");
  return true;
}

// Anchors: sections 6 and 8; Ethereum's Yellow Paper, appendices B and D.
/** The items in these bytes of RLP: strings as hex, lists as arrays. */
function rlp(bytes) {
  const items = [];
  for (let at = 0; at < bytes.length; ) {
    const [tag, base] = [bytes[at], bytes[at] < 0xc0 ? 0x80 : 0xc0];
    const start = at + (tag < 0x80 ? 0 : 1 + Math.max(0, tag - base - 55));
    const long = () => Number(`0x${hex(bytes.slice(at + 1, start))}`);
    at = start + (tag < 0x80 ? 1 : tag - base < 56 ? tag - base : long());
    need(at <= bytes.length, "its RLP is cut short");
    items.push(base === 0x80 ? hex(bytes.slice(start, at)) : rlp(bytes.slice(start, at)));
  }
  return items;
}
/** What a Merkle-Patricia proof leads to, from a root by the nibbles of keccak256(key): RLP, decoded. */
function trieValue(root, key, proof) {
  const nodes = proof.map(unhex);
  let [at, way, flag] = [root, keccak256(unhex(key)), 0];
  while (flag < 2) {
    const bytes = typeof at === "string" ? (nodes.shift() ?? []) : undefined;
    need(!bytes || keccak256(bytes) === at, "a node of its state proof is not the one that was named");
    const items = bytes ? rlp(bytes)[0] : at;
    const isBranch = items.length === 17;
    flag = isBranch ? 0 : Number(items[0][0]);
    const path = isBranch ? way.slice(0, 1) : items[0].slice(flag % 2 === 1 ? 1 : 2);
    need(isBranch ? path : items.length === 2 && way.startsWith(path), "its state proof leads elsewhere");
    [at, way] = [items[isBranch ? Number(`0x${path}`) : 1], way.slice(path.length)];
  }
  need(way === "" && nodes.length === 0, "its state proof ends elsewhere");
  return rlp(unhex(at))[0];
}
async function ask(url, method, ...params) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  return (await answer.json()).result ?? need(false, `the chain does not answer ${method}`);
}
/** Rejects unless the contract kept the head; resolves to what is believed or found, and the head kept now. */
async function checkAnchor({ size, root, network, contract, signer, ...shown }, origin, options) {
  const { transaction, header, account_proof, root_proof, numbers_proof } = shown;
  for (const [name, stated] of Object.entries({ network, contract, signer }))
    need((options[name] ?? stated).toLowerCase() === stated, `its ${name} is ${stated}`);
  const selector = (signature) => keccak256(utf8.encode(signature)).slice(0, 8);
  const log_key = await H(origin);
  const [[chain, , , , , to, , input]] = rlp(unhex(transaction.slice(4)));
  const isHere = `eip155:${Number(`0x${chain}`)}` === network && `0x${to}` === contract;
  need(isHere && transaction.startsWith("0x02"), "its transaction is not of this network to this contract");
  const call = selector("anchor(bytes32,uint64,bytes32,bytes32[])") + log_key + word(size) + root + word(128);
  const isCall = input.startsWith(call) && input.length === 328 + 64 * Number(`0x${input.slice(264, 328)}`);
  need(isCall, "its transaction brings another head");
  const [[fields], hash] = [rlp(unhex(header)), `0x${keccak256(unhex(header))}`];
  const number = Number(`0x${fields[8]}`);
  const [, , storage] = trieValue(fields[3], contract, account_proof);
  const slot = keccak256(unhex(log_key + keccak256(unhex(word(signer) + word(0)))));
  const kept = trieValue(storage, slot, root_proof);
  const numbers = trieValue(storage, word(BigInt(`0x${slot}`) + 1n), numbers_proof);
  const isKept = word(`0x${kept}`) === root && BigInt.asUintN(64, BigInt(`0x${numbers}`)) === BigInt(size);
  need(isKept, "the contract kept another head");
  if (!options.rpc) return { said: `believed that block ${number} ${hash} is of ${network} and final` };
  const id = Number(await ask(options.rpc, "eth_chainId"));
  const block = await ask(options.rpc, "eth_getBlockByNumber", `0x${number.toString(16)}`, false);
  need(`eip155:${id}` === network && block.hash === hash, `block ${number} of the chain is not ${hash}`);
  const final = Number((await ask(options.rpc, "eth_getBlockByNumber", "finalized", false)).number) >= number;
  const data = `0x${selector("head(address,bytes32)")}${word(signer)}${log_key}`;
  const now = await ask(options.rpc, "eth_call", { to: contract, data }, "latest");
  const said = `block ${number} is of ${network} and ${final ? "" : "not yet "}final`;
  const head = {
    size: Number(now.slice(0, 66)),
    root: now.slice(66, 130),
    time: Number(`0x${now.slice(-64)}`),
  };
  return { said, head };
}

// Lines: section 7. S text, H hash, X bytes, N number, P above 0, I of 31 bits, T time, U UUID; * list, ? or null.
const text = (value) => typeof value === "string" && value.isWellFormed();
const like = (pattern) => (value) => text(value) && pattern.test(value);
const upTo = (least, most) => (value) => Number.isSafeInteger(value) && value >= least && value <= most;
const KINDS = {
  S: text,
  H: like(/^[0-9a-f]{64}$/),
  X: like(/^0x([0-9a-f]{2})*$/),
  yes: (value) => value === true,
  P: upTo(1, Number.MAX_SAFE_INTEGER),
  N: upTo(0, Number.MAX_SAFE_INTEGER),
  I: upTo(1, 2 ** 31 - 1),
  T: like(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  U: like(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  head: (value) => HEADS.some((members) => fits(value, members)),
};
const COLUMNS = "tenant:S stream_id:S version:P event_id:U type:S schema_version:I recorded_at_us:N";
const EVENT = `${COLUMNS} payload:S meta:S payload_hash:H meta_hash:H prev_hash:H event_hash:H`;
const COMMIT = "idem_key:S? request_hash:H? commit_size:I?";
const PROOFS = "account_proof:X* root_proof:X* numbers_proof:X*";
const membersOf = (form) => form.split(" ").map((member) => member.split(/:|(?=[*?])/));
const isKind = (kind, mark, value) =>
  mark === "*"
    ? Array.isArray(value) && value.every(KINDS[kind])
    : (mark === "?" && value === null) || KINDS[kind](value);
const fits = (value, members) =>
  Object.keys(value).join() === members.map(([name]) => name).join() &&
  members.every(([name, kind, mark]) => isKind(kind, mark, value[name]));
const HEADS = ["position:N log_hash:H", "version:P event_hash:H"].map(membersOf);
const WRITTEN = {
  "tallystick-log/1": "format:S log_id:I origin:S exported_at:T first_position:P previous_log_hash:H",
  "tallystick-stream/1": "format:S log_id:I origin:S exported_at:T tenant:S stream_id:S",
  "event of tallystick-log/1": `position:P ${EVENT} log_hash:H ${COMMIT}`,
  "event of tallystick-stream/1": `${EVENT} ${COMMIT}`,
  end: "end:yes events:N head:head",
  key: "evidence:S key:S",
  frontier: "evidence:S size:N hashes:H*",
  checkpoint: "evidence:S note:S",
  anchor: `evidence:S size:P root:H network:S contract:X signer:X transaction:X header:X ${PROOFS}`,
  consistency: "evidence:S first:N second:N proof:H*",
  inclusion: "evidence:S version:P position:P size:P proof:H*",
};
const FORMS = new Map(Object.entries(WRITTEN).map(([kind, form]) => [kind, membersOf(form)]));
/** The name of a line's form, and what it says. */
function readLine(bytes, format) {
  const line = strictUtf8.decode(bytes);
  const value = JSON.parse(line);
  const kind = value.format ?? value.evidence ?? (value.end ? "end" : `event of ${format}`);
  need(!format === "format" in value, "a header stands elsewhere than on the first line");
  need(FORMS.has(kind) && fits(value, FORMS.get(kind)), `it has not the form of its kind, ${kind}`);
  const respelt = (one, colon) => (colon ? one : JSON.stringify(JSON.parse(one)));
  const spelt = value.event_id ? line.replace(/"[^"\\]*(?:\\.[^"\\]*)*"(:?)/g, respelt) : line;
  need(spelt === JSON.stringify(value) && value.origin !== "", "it is not written as section 7 has it");
  return [kind, value];
}
/** The lines of a text, packed or not. */
async function* linesOf(source) {
  const whole = typeof source === "string" ? utf8.encode(source) : source;
  const all = (async function* () {
    yield* whole instanceof Uint8Array ? [whole] : whole;
  })();
  const { value: first = new Uint8Array() } = await all.next();
  const pull = async (to) => {
    const { done, value } = await all.next();
    return done ? to.close() : to.enqueue(value);
  };
  const plain = new ReadableStream({ start: (to) => to.enqueue(first), pull });
  let rest = new Uint8Array();
  for await (const chunk of first[0] === 0x1f ? plain.pipeThrough(new DecompressionStream("gzip")) : plain) {
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
const NAMES = ["format", "chain", "order", "commits", "tree", "signature", "anchor", "completeness"];
const RANKS = ["key", "frontier", "checkpoint", "anchor", "consistency"];
const rowHash = (origin, row) =>
  H(
    "TS/EVENT/1\0",
    LP(origin),
    LP(row.tenant),
    LP(row.stream_id),
    u64(row.version),
    unhex(row.event_id),
    LP(row.type),
    u32(row.schema_version),
    u64(row.recorded_at_us),
    ...[row.payload_hash, row.meta_hash, row.prev_hash].map(unhex),
  );
/** Keeps the first fault of each verdict (of the tree, that of the smallest size), and the tree heads. */
function trial(options) {
  const [faults, roots] = [/** @type {any} */ ({}), new Map()];
  const [heads, said] = [/** @type {any[]} */ ([]), /** @type {string[]} */ ([])];
  const must = (name, at, holds, reason) => {
    const isLater = faults[name]?.first_bad <= (name === "tree" ? at : 2 ** 53);
    if (!holds && !isLater) faults[name] = { first_bad: at, reason };
  };
  const agree = (name, at, stated, right) => {
    for (const member in right)
      must(
        name,
        at,
        stated[member] === right[member],
        `${member} is ${stated[member]}, not ${right[member]}`,
      );
  };
  const tries = async (name, at, step) => {
    try {
      return await step();
    } catch (error) {
      must(name, at, false, /** @type {Error} */ (error).message);
    }
  };
  const add = (kind, { size, root, time }, isSound) => {
    if (!roots.has(size)) roots.set(size, root);
    agree("tree", size, { [`root of size ${size}`]: root }, { [`root of size ${size}`]: roots.get(size) });
    heads.push({ kind, size, root, isSound, time });
  };
  const checkpoint = async (note, kind, key, origin) => {
    const head = await tries("signature", 0, () => readNote(note, origin));
    if (head) add(kind, head, await tries("signature", head.size, () => checkSignatures(head, key, origin)));
  };
  const anchor = async (line, origin) => {
    const shown = await tries("anchor", line.size, () => checkAnchor(line, origin, options));
    add("anchored", line, shown);
    if (shown) said.push(`${line.size}: ${shown.said}`);
    if (shown?.head) add("kept", shown.head, false);
  };
  /** @returns {{ ok: boolean, verdicts: Verdict[] }} */
  const verdicts = (key, details) => {
    const isThere = (...kinds) => heads.some(({ kind }) => kinds.includes(kind));
    const isAsked = options.network ?? options.contract ?? options.signer ?? options.rpc;
    must(
      "signature",
      0,
      !options.key || isThere("signed", "held"),
      "a key is given, but there is no checkpoint",
    );
    must("anchor", 0, !isAsked || isThere("anchored"), "there is no anchor");
    const signature = `by ${key ?? "no key"}${key && !options.key ? ", which came along and was trusted" : ""}`;
    const all = Object.entries({ ...details, signature, anchor: said.join("; ") || "no anchor" });
    const list = all.map(([name, detail]) => ({ name, ok: !faults[name], detail, ...faults[name] }));
    return { ok: list.every(({ ok }) => ok), verdicts: list };
  };
  return { must, agree, tries, checkpoint, anchor, verdicts, roots, heads };
}
/**
 * Judges an export and its evidence: `first_bad` is a position, of a stream a version, of a tree head its size.
 * @param {AsyncIterable<Uint8Array> | Uint8Array | string} source @param {Options} options
 * @returns {Promise<{ ok: boolean, verdicts: Verdict[], head: { position: number, hash: string } | null, events: number }>}
 */
export async function verifyPack(source, options = {}) {
  const { must, agree, tries, checkpoint, anchor, verdicts, roots, heads } = trial(options);
  const [streams, joined] = [new Map(), new Set()];
  const [links, proven] = [/** @type {any[]} */ ([]), /** @type {number[][]} */ ([])];
  const [held, notes] = [options.heads ?? [], [...(options.checkpoints ?? [])]];
  let [header, row, key] = /** @type {any[]} */ ([undefined, undefined, options.key]);
  let [isLog, first, last, hash, lacking, rank, ended] = [false, 1, 0, "", Number.NaN, 0, false];
  let [events, commits, leaves, frontier] = [0, 0, Number.NaN, /** @type {string[]} */ ([])];

  const meet = () => {
    for (const one of held.filter(({ position }) => position === last)) {
      const isSame = hash.startsWith(one.hash) && one.hash.length >= 8;
      must("completeness", Math.max(last, first), isSame, `${last} has the hash ${hash}, not ${one.hash}`);
    }
  };
  const computeRoot = async () => {
    if (!roots.has(leaves) && !links.some((link) => link.first === leaves || link.second === leaves)) return;
    const root = await rootOf(frontier);
    const name = `root of size ${leaves}`;
    agree("tree", leaves, { [name]: roots.get(leaves) ?? root }, { [name]: root });
    roots.set(leaves, root);
    joined.add(leaves);
  };
  const begin = async (value) => {
    [header, isLog, hash] = [value, "first_position" in value, value.previous_log_hash];
    first = value.first_position ?? 1;
    last = first - 1;
    agree("completeness", first, value, { origin: options.origin ?? value.origin });
    if (isLog) meet();
    if (!isLog || first > 1) return;
    [leaves, lacking] = [0, 0];
    agree("order", 1, value, { previous_log_hash: await H("TS/LOG/1\0", LP(value.origin)) });
  };
  const evidence = async (kind, value) => {
    need(events === 0 && RANKS.indexOf(kind) >= rank, `${kind} stands too late`);
    rank = RANKS.indexOf(kind) + (kind === "key" || kind === "frontier" ? 1 : 0);
    if (kind === "key") key ??= value.key;
    if (kind === "checkpoint") await checkpoint(value.note, "signed", key, header.origin);
    if (kind === "anchor") await anchor(value, header.origin);
    if (kind === "consistency") links.push(value);
    if (kind !== "frontier") return;
    const bits = value.size.toString(2).replaceAll("0", "").length;
    const isRight = isLog && value.size === last && value.hashes.length === bits;
    must("tree", value.size, isRight, `the frontier is not one of the ${last} leaves before the export`);
    if (isRight) [leaves, frontier] = [value.size, value.hashes];
  };
  const event = async (value) => {
    const [at, origin] = [value.position ?? value.version, header.origin];
    const genesis = await H("TS/STREAM/1\0", LP(origin), LP(value.tenant), LP(value.stream_id));
    const unknown = { version: value.version - 1, event_hash: value.prev_hash };
    const start = first === 1 || value.version === 1 ? { version: 0, event_hash: genesis } : unknown;
    const before = streams.get(genesis) ?? start;
    const { tenant, stream_id } = isLog ? value : header;
    agree("chain", at, value, {
      payload_hash: await H("TS/PAYLOAD/1\0", value.payload),
      meta_hash: await H("TS/META/1\0", value.meta),
      event_hash: await rowHash(origin, value),
      ...{ tenant, stream_id, version: before.version + 1, prev_hash: before.event_hash },
    });
    streams.set(genesis, { version: value.version, event_hash: value.event_hash });
    const log_hash = isLog && (await H("TS/LOG/1\0", unhex(hash), u64(at), unhex(value.event_hash)));
    if (isLog) agree("order", at, value, { position: last + 1, log_hash });
    must("order", at, !isLog || !(value.recorded_at_us < row?.recorded_at_us), "recorded_at_us goes back");
    if (leaves >= 0) {
      await computeRoot();
      let node = await leaf(value.event_hash);
      for (let n = leaves++; n % 2 === 1; n = (n - 1) / 2) node = await parent(frontier.pop(), node);
      frontier.push(node);
    }
    const { idem_key, request_hash, commit_size } = value;
    const isFirst = commit_size !== null;
    const commit = await tries("commits", at, () => JSON.parse(value.meta).commit);
    const parts = [LP(idem_key ?? ""), unhex(request_hash ?? word(0)), u32(commit_size)];
    agree("commits", at, { commit }, { commit: isFirst ? await H("TS/COMMIT/1\0", ...parts) : undefined });
    const isBare = idem_key === null && request_hash === null;
    const isPaired = idem_key && request_hash;
    must(
      "commits",
      at,
      isBare || (isFirst && isPaired),
      "idem_key or request_hash stands alone or inside a commit",
    );
    const isInTurn = isFirst ? !(lacking > 0) : lacking !== 0;
    must("commits", at, isInTurn, `before it, the running commit lacked ${lacking} events`);
    lacking = isFirst ? (isLog ? commit_size - 1 : Number.NaN) : lacking - 1;
    [row, last, hash, commits] = [value, at, value.log_hash ?? value.event_hash, commits + (isFirst ? 1 : 0)];
    meet();
    if (++events % 1000 === 0) await options.onEvents?.(events);
  };
  const inclusion = async ({ version, position, size, proof }) => {
    const [known, place] = proven.at(-1) ?? [0, 0];
    const isNext = !isLog && row?.version === version && known !== version;
    need(isNext, "an inclusion line stands elsewhere than after its event");
    must("tree", version, position > place, "positions do not rise with versions");
    proven.push([version, position]);
    await tries("tree", version, () =>
      checkInclusion(row.event_hash, position, size, roots.get(size), proof),
    );
  };
  const end = (value) => {
    const [at, stated] = Object.values(value.head);
    agree("completeness", last + 1, { events: value.events, at, hash: stated }, { events, at: last, hash });
    ended = true;
  };
  /** The checkpoints in the auditor's hand are read as soon as the key is known. */
  const takeHeld = async () => {
    for (const note of notes.splice(0)) await checkpoint(note, "held", key, header?.origin);
  };
  const read = async (bytes) => {
    need(!ended, "a line follows the last line");
    const [kind, value] = readLine(bytes, header?.format);
    if (header && kind !== "key") await takeHeld();
    const reads = { end, inclusion, [`event of ${header?.format}`]: event, [value.format]: begin };
    await (reads[kind]?.(value) ?? (kind in reads || evidence(kind, value)));
  };
  const joinHeads = async () => {
    await computeRoot();
    if (!isLog && heads.length > 0) joined.add(heads[0].size);
    for (const { first: m, second: n, proof } of links) {
      const [old, root] = [roots.get(m), roots.get(n)];
      must("tree", n, old && root, `a consistency line from ${m} to ${n} joins no known tree heads`);
      if (old && root) await tries("tree", n, () => checkConsistency(m, old, n, root, proof));
    }
    for (let before = -1; before !== joined.size; ) {
      before = joined.size;
      for (const { first: m, second: n } of links) if (joined.has(m) || joined.has(n)) joined.add(m).add(n);
    }
    const exported = Date.parse(header?.exported_at);
    for (const { kind, size, time } of heads.filter((head) => !joined.has(head.size))) {
      must("tree", size, kind === "kept", `the tree head of size ${size} (${kind}) is joined to nothing`);
      const isMissed = kind === "held" || (kind === "kept" && !(time * 1000 > exported));
      must(
        "completeness",
        last + 1,
        !isMissed,
        `the tree head of size ${size} (${kind}) is not met: the end is cut`,
      );
    }
  };
  const reach = (kind) => {
    const sound = heads.filter((head) => head.kind === kind && head.isSound && joined.has(head.size));
    const size = Math.max(
      0,
      ...sound.filter((head) => roots.get(head.size) === head.root).map((head) => head.size),
    );
    const versions = proven.filter(([, position]) => position <= size).map(([version]) => version);
    return isLog ? Math.min(size, last) : Math.max(0, ...versions);
  };

  await tries("format", 1, async () => {
    for await (const bytes of linesOf(source)) {
      await tries("format", last + 1, () => read(bytes));
      if (!header) break;
    }
  });
  for (const name of NAMES) must(name, 1, header, "there is no header to go by");
  await takeHeld();
  await joinHeads();
  must("commits", last + 1, !(lacking > 0), `the last commit lacks ${lacking} of its events`);
  must(
    "completeness",
    last + 1,
    ended && (isLog || events > 0),
    "the last line or every event is missing: truncated",
  );
  for (const { position } of held) {
    const isInside = position >= first - 1 && position <= last;
    must(
      "completeness",
      position < first ? first : last + 1,
      isInside,
      `no event stands at ${position}, which is held`,
    );
  }
  const noted = Math.max(reach("held"), ...held.map(({ position }) => position));
  const reaches = Object.entries({ anchored: reach("anchored"), signed: reach("signed"), held: noted });
  const reached = reaches.filter(([, at]) => at > 0).map(([how, at]) => `${how} up to ${at}`);
  const report = verdicts(key, {
    format: `${events} events of ${header?.origin}`,
    chain: `${streams.size} streams`,
    order: `${isLog ? "positions" : "versions"} ${first} to ${last}`,
    ...{ commits: `${commits} commits`, tree: `${heads.length} tree heads`, signature: "", anchor: "" },
    completeness: [...reached, `unproven beyond ${Math.max(...reaches.map(([, at]) => at))}`].join(", "),
  });
  return { ...report, head: header ? { position: last, hash } : null, events };
}
/**
 * Judges the answer of GET /log/proof/{event_id}: an event, and that it is in a checkpoint, in an anchor or in both.
 * @param {any} answer @param {Options} options
 * @returns {Promise<{ ok: boolean, verdicts: Verdict[] }>}
 */
export async function verifyProof(answer, options = {}) {
  const { tries, checkpoint, anchor, verdicts, heads } = trial(options);
  const { origin, event = {}, checkpoint: note, anchor: line, key = "" } = answer ?? {};
  const columns = EVENT.replace(/:\w/g, "").replace(" payload meta", "").split(" ");
  const isFull = columns.every((name) => event[name] !== undefined);
  await tries("format", 0, () => {
    const isNamed = text(origin) && KINDS.P(event.position) && KINDS.H(event.event_hash);
    need(isNamed, "origin, position or event_hash is missing");
    need(origin === (options.origin ?? origin), `the origin is ${origin}, not ${options.origin}`);
    need(note || line, `nothing proves the event yet: ${answer.pending?.detail}`);
  });
  await tries("chain", event.position, async () => {
    const hashes = { payload: "TS/PAYLOAD/1\0", meta: "TS/META/1\0" };
    for (const name in hashes)
      if (name in event)
        need(
          (await H(hashes[name], event[name])) === event[`${name}_hash`],
          `${name}_hash is not that of ${name}`,
        );
    need(
      !isFull || (await rowHash(origin, event)) === event.event_hash,
      "event_hash is another than computed",
    );
  });
  if (note) await tries("signature", 0, () => checkpoint(note, "signed", options.key ?? key, origin));
  if (line) await tries("anchor", 0, () => anchor(line, origin));
  for (const { kind, size, root } of heads.filter((head) => head.kind !== "kept")) {
    const { proof } = (kind === "signed" ? answer : line).inclusion ?? { proof: [] };
    await tries("tree", event.position, () =>
      checkInclusion(event.event_hash, event.position, size, root, proof),
    );
  }
  return verdicts(options.key ?? key, {
    format: `position ${event.position} of ${origin}`,
    chain: `event_hash ${isFull ? "computed" : "as stated: not every column is shown"}`,
    tree: heads.map(({ kind, size }) => `${kind} in the tree of size ${size}`).join("; "),
    ...{ signature: "", anchor: "" },
  });
}

const HELP = `node verifier.js PACK [--key K] [--origin O] [--head position:hash] [--checkpoint FILE] [--network N]
  [--contract C] [--signer S] [--rpc URL] [--json]
Checks an export of a log or of a stream, packed with gzip or not, by docs/event-log.md; exits 1 when a verdict is red.
--head and --checkpoint, what an auditor noted earlier, may be repeated.`;
async function main(args) {
  const { createReadStream, readFileSync } = await import("node:fs");
  const { parseArgs } = await import("node:util");
  const one = ["key", "origin", "network", "contract", "signer", "rpc"].map((name) => [
    name,
    { type: "string" },
  ]);
  const many = ["head", "checkpoint"].map((name) => [name, { type: "string", multiple: true }]);
  const flags = ["json", "help"].map((name) => [name, { type: "boolean" }]);
  const known = Object.fromEntries([...one, ...many, ...flags]);
  const { values, positionals } = /** @type {any} */ (
    parseArgs({ args, allowPositionals: true, options: known })
  );
  if (values.help || positionals.length !== 1) return console.log(HELP);
  const heads = (values.head ?? [])
    .map((head) => head.split(":"))
    .map(([position, hash = ""]) => {
      need(
        /^\d+$/.test(position) && /^[0-9a-f]{8,64}$/.test(hash),
        "--head is position:hash, of 8 hex digits or more",
      );
      return { position: Number(position), hash };
    });
  const checkpoints = (values.checkpoint ?? []).map((file) => readFileSync(file, "utf8"));
  const report = await verifyPack(createReadStream(positionals[0]), { ...values, heads, checkpoints });
  const line = ({ ok, name, detail, first_bad = 0, reason = "" }) =>
    `${ok ? "ok  " : "FAIL"} ${name.padEnd(12)} ${ok ? detail : `at ${first_bad}: ${reason}`}`;
  console.log(values.json ? JSON.stringify(report) : report.verdicts.map(line).join("\n"));
  process.exitCode = report.ok ? 0 : 1;
}
if (globalThis.process?.argv?.[1]?.endsWith("verifier.js") && import.meta.url.endsWith("verifier.js"))
  await main(process.argv.slice(2)).catch((error) => {
    console.error(error.message);
    process.exitCode = 2;
  });
