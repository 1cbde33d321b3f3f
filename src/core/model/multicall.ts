/** Source: the Multicall3 project; the same address on every chain. */
export const MULTICALL3 = "0xcA11bde05977b3631167028862bE2a173976CA11";
