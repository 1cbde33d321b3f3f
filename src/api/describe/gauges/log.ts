import { headsOf } from "../../../anchoring/heads.ts";
import { newestAnchor } from "../../../domain/anchoring/anchor.ts";
import { type Gauge, secondsSince } from "../../declare/gauge.ts";

export const logGauges: Gauge[] = [
  {
    name: "tallystick_log_position",
    help: "The position of the newest event",
    read: async ({ store }) => [{ value: (await store.head()).position }],
  },
  {
    name: "tallystick_checkpoint_age_seconds",
    help: "Seconds since the newest checkpoint was signed",
    read: async (app) => {
      const { checkpoint } = (await headsOf(app)).state;
      return checkpoint ? [{ value: secondsSince(app, checkpoint.signed_at) }] : [];
    },
  },
  {
    name: "tallystick_anchor_age_seconds",
    help: "Seconds since the newest anchor was written to the chain; a log without new events is not anchored again",
    read: async (app) => {
      const anchor = newestAnchor((await headsOf(app)).state);
      return anchor ? [{ value: secondsSince(app, anchor.anchored_at) }] : [];
    },
  },
  {
    name: "tallystick_unproven_events",
    help: "Events beyond the newest checkpoint, and beyond the newest anchor",
    labels: ["beyond"],
    read: async (app) => {
      const [{ state }, { position }] = await Promise.all([headsOf(app), app.store.head()]);
      const beyond = (size: number | undefined) => Math.max(0, position - (size ?? 0));
      return [
        { labels: { beyond: "checkpoint" }, value: beyond(state.checkpoint?.size) },
        { labels: { beyond: "anchor" }, value: beyond(newestAnchor(state)?.size) },
      ];
    },
  },
  {
    name: "tallystick_outside_lag_events",
    help: "Events that the log's external copy lacks, reported by the copying process",
    read: async ({ outside, store }) =>
      outside?.copied === undefined ? [] : [{ value: (await store.head()).position - outside.copied }],
  },
  {
    name: "tallystick_reader_lag_seconds",
    help: "Seconds for which a copy of the database has lacked events that the primary has",
    labels: ["reader"],
    read: async ({ readers }) =>
      readers.health().map(({ name, lag_s }) => ({ labels: { reader: name }, value: lag_s })),
  },
  {
    name: "tallystick_reader_left_out",
    help: "1 while a replica is not used: it lags, went back, has another history or is unavailable",
    labels: ["reader"],
    read: async ({ readers }) =>
      readers
        .health()
        .map(({ name, left_out }) => ({ labels: { reader: name }, value: left_out === null ? 0 : 1 })),
  },
  {
    name: "tallystick_log_contradicted",
    help: "1 while the log contradicts its signed or anchored heads: nothing is recorded or sold",
    read: async ({ accepting }) => [{ value: (await accepting.contradiction()) === null ? 0 : 1 }],
  },
  {
    name: "tallystick_log_disputed",
    help: "Number of witnesses and external copies that report another log. A report proves nothing, so sales continue",
    read: async ({ disputes }) => [{ value: (await disputes()).length }],
  },
  {
    name: "tallystick_database_connections",
    help: "Connections of this process's pool, and calls that wait for one",
    labels: ["state"],
    read: async ({ pool }) => [
      { labels: { state: "used" }, value: pool.totalCount - pool.idleCount },
      { labels: { state: "idle" }, value: pool.idleCount },
      { labels: { state: "awaited" }, value: pool.waitingCount },
    ],
  },
];
