/** The demo's stories, and the most that each signs for one payment, in micro-USDC: a service is a stranger. */
export const stories = {
  answer: { about: "one answer and its proof", most: 100_000n },
  shop: { about: "pellets, from price list to delivery", most: 200_000_000n },
  passport: { about: "an agent registers, proves a key, is vouched for and verified", most: 500_000n },
  compute: { about: "a task is paid for, done by a worker, checked and settled", most: 20_000n },
  report: { about: "a brief as PDF, with each figure looked up again", most: 25_000_000n },
  channel: { about: "twenty calls on one deposit, and the rest returned", most: 1_000_000n },
  skill: {
    about: "one runs, another is cancelled and refunded, the first is re-run",
    most: 500_000n,
  },
};

export type StoryName = keyof typeof stories;
