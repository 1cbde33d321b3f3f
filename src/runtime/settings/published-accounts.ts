/** Accounts whose private keys are published, or that everybody tries: anybody can take what they have. */
import { createECDH } from "node:crypto";
import { keccak256 } from "viem/utils";

/** The mnemonics of development chains and of documentation, and how many of their first accounts are listed. */
export const PUBLISHED_MNEMONICS = {
  "Foundry and Hardhat": {
    mnemonic: "test test test test test test test test test test test junk",
    count: 100,
  },
  Ganache: {
    mnemonic: "myth like bonus scare over problem client lizard pioneer submit female collect",
    count: 100,
  },
  Truffle: {
    mnemonic: "candy maple cake sugar pudding cream honey rich smooth crumble sweet treat",
    count: 100,
  },
  "the test vectors of BIP-39": {
    mnemonic: "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
    count: 20,
  },
  "the second test vector of BIP-39": {
    mnemonic: "legal winner thank year wave sausage worth useful legal winner thank yellow",
    count: 20,
  },
  "MetaMask's tests": {
    mnemonic: "test walk nut penalty hip pave soap entry language right filter choice",
    count: 20,
  },
  "0x's tests": {
    mnemonic: "concert load couple harbor equip island argue ramp clarify fence smart topic",
    count: 20,
  },
} as const;

/** Private keys in the documentation of others. */
export const PUBLISHED_KEYS = {
  zkSync: [
    "7726827caac94a7f9e1b160f7ea819f171f7b6f9d2a97f992c38edeab82d4110",
    "ac1e735be8536c6534bb4f17f06f6afc73b2b5ba84ac2cfb12f7461b20c0bbe3",
    "3d3cbc973389cb26f657686445bcc75662b415b656078503592ac8c1abb8810e",
  ],
  Arbitrum: ["b6b15c8cb491557369f3c7d2c287b053eb229daa9c22138887752191c9520659"],
  "go-ethereum": ["b71c71a67e1177ad4e901695e1b4b9ee17ae16c6668d313eac2f96dbcda3f291"],
  Besu: [
    "8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63",
    "c87509a1c067bbde78beb793e6fa76530b6382a4c0241e5e4a9ec0a0f44dc0d3",
    "ae6ae8e5ccbfb04590405997ee2d52d2b330726137b875053c36d94e974d162f",
  ],
  Moonbeam: [
    "5fb92d6e98884f76de468fa3f6278f8807c48bebc13595d45af5bdc4da702133",
    "8075991ce870b93a8870eca0c0f91913d12f47948ca0fd25b49c6fa7cdbeee8b",
  ],
  "web3.js": [
    "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318",
    "348ce564d427a3311b6536bbcff9390d69395b06ed6c486954e971d960fe8709",
  ],
} as const;

/** Words whose digests people take for random: keys by SHA-256 or Keccak-256, and seeds by any digest. */
export const COMMON_WORDS = [
  "",
  ..."a abc test password secret hello hello world admin root tallystick changeme letmein qwerty cow".split(
    " ",
  ),
  ..."123456 12345678 foobar foo bar bitcoin ethereum base usdc seed private key wallet satoshi vitalik".split(
    " ",
  ),
  ..."hello world|private key|correct horse battery staple|the quick brown fox jumps over the lazy dog".split(
    "|",
  ),
] as const;

/** Who tries the keys that are no one's: small numbers, those near the curve's order, repeated bytes, digests of words. */
export const GUESSERS = "everybody who tries simple keys";

/** The first twelve hex digits of each address; test/settings/published.test.ts derives them from the keys. */
const PREFIXES: Readonly<Record<string, string>> = {
  "Foundry and Hardhat": `
    f39fd6e51aad 70997970c518 3c44cdddb6a9 90f79bf6eb2c 15d34aaf5426 9965507d1a55 976ea74026e7 14dc79964da2
    23618e81e3f5 a0ee7a142d26 bcd4042de499 71be63f3384f fabb0ac9d68b 1cbd3b277090 df3e18d64bc6 cd3b766ccdd6
    2546bcd3c846 bda5747bfd65 dd2fd4581271 8626f6940e2e 09db0a93b389 02484cb50aac 08135da0a343 5e661b79fe2d
    61097ba76cd9 df37f81daad2 553bc17a0570 87bdce72c06c 40fc963a729c 9dcce783b646 1bcb8e569eed 8263fce86b1b
    cf2d5b3cbb4d 86c53eb85d0b 1aac82773cb7 2f4f06d218e4 1003ff39d25f 9eaf5590f2c8 11e8f3ea3c6f 7d86687f980a
    9ef6c02fb2ec 08a2de6f3528 e141c82d99d8 4b23d303d9e3 c004e69c5c04 5eb15c099273 7ebb637fd68c 3c3e2e178c69
    35304262b9e8 d4a1e660c916 ee7f6a930b29 145e2dc5c823 d6a098ebcc5f 042a63149117 a0ec9ee47802 e8b1ff302a74
    ab707cb80e7d 0d803cdeee59 1c87bb9234ae 4779d18931b3 c0543b0b980d 73b3074ac649 265188114eb5 924ba5ce9f91
    64492e25c300 262595fa2a3a dfd99099fa13 63c3686ef31c 9394cb5f737b 344dca30f5c5 f23e054d8b4d 6d69f301d1da
    f0ce7bab13c9 011bd5423c5f d9065f27e9b7 54ccceb38251 a1196426b416 e74cef90b6cf 7df8efa6d6f1 9e126c57330f
    586ba39027a7 9a50ed082cf2 bc8183bac3e9 586af62eae7f ccdd262f272e f0eeddc5e015 4edfedff17ab 492c973c16e8
    e5d3ab6883b7 71f280dea6fc e77478d9e136 6c8ea11559df 48fa7b63049a 16adfbefdefd 225356ff5d64 cbdc0f9a4c38
    bc5bdcee96b1 0536896a5e38 fe0f143fcad5 98d08079928f
  `,
  Ganache: `
    90f8bf6a479f ffcf8fdee72a 22d491bde230 e11ba2b4d45e d03ea8624c8c 95ced938f799 3e5e9111ae8e 28a8746e7530
    aca94ef8bd5f 1df62f291b2e 610bb1573d10 855fa758c77d fa2435eacf10 64e078a8aa15 2f560290fef1 f408f04f9b76
    66fc63c2572b f0d5bc18421f 325a621dea61 3fd652c93dfa 73eb6d82cfb2 9d8e5fac117b 982a8cbe734c cdc1e53bdc74
    f5d1eaf516ef f8ea26c3800d 2647116f9304 80a32a0e5ca8 47f55a2ace3b c817898296b2 0d38e653ec28 1b569e8f1246
    cbb025e7933f ddeea4839bbe bc2cf859f671 f75588126126 369109c74ea7 a2a628f4eee2 693d718ccfad 845a0f944108
    c7739909e08a 99cce66d3a39 4b930e7b3e49 02233b22860f 89c1d413758f 61bbb5135b43 8c4ce7a10a4e 25c1230c7efc
    709f7ae06fe9 c0514c03d097 103b31135d99 f8856d473639 753897706061 7cd15a5d3455 7d8ae65273b9 05a561f51a2d
    80030beca829 eda514228043 e21812faa737 4d85247717cf 19b2d46091dd 42c7c045729a eed15bb091bf 0f6f0ecfab78
    33a053885a82 4397655ddd03 6e57514b1997 85c38d25744f 69901c8c4263 256dd44a3447 61f41c87113e a8ba9dea2923
    831c50ac59c3 c8f2d6111bc7 bca6ebd43dcb 856c13654883 356780865cd2 1baec60a021c 8155eb275ea6 6a8bbdb02486
    b890c74caa6c d5b6d6b730b1 2a828adcc1a3 624a97293d8c e7a3ebba0647 d74485a6600d 3b1cb706e5ff fbdb66ae3fa6
    4f92c13cacf1 18282ec61c35 afa5e9d58e24 d32115d6e4a4 56fa56dc2808 3fae75cce89a a9f913312b7e 1f627b7fb483
    b45de3796b20 17332dd7f9bd 9d7822d5bb9f 4c0408db276e
  `,
  Truffle: `
    627306090aba f17f52151ebe c5fdf4076b8f 821aea9a577a 0d1d4e623d10 2932b7a2355d 2191ef87e392 0f4f2ac550a1
    6330a553fc93 5aeda56215b1 e44c4cf79750 69e1cb5cfca8 f014343bdffb 0e79edbd6a72 9bc1169ca095 a23eaef02f9e
    c449a27b106b f24ae9ce9b62 c44b027a9491 cb0236b37ff1 715e632c0fe0 90ffd070a833 036945cd50df 23f0227fb09d
    799759c45265 a6bfe07b18df 39ae04b556bb 068729ec4f46 9ee19563df46 04ab41d3d514 ef264a86495f 645fdc97c87c
    be6f5bf50087 ce527c7372b7 21ec0514bffe eaa2fc390d0e c5fa34ecbaf4 4f388ee383f1 eef5e3535aa3 6008e128477c
    fef504c230aa 70c8f02d4e44 53ef3e89950e e3c27a49b81a c496e6feacf5 5598ca130440 5fb25c1c734d 3e5a0f348c83
    6a90ed741fe4 a1ad47355b99 7c22d70abcc5 2c24be8144dd a3f946f2e9e3 6feba51dcd19 aafca8e6b0e4 db6388b2f66e
    27e53c8f3863 e8182f4e9378 fed601466147 3f7632ef242f be0138d90839 eb48c891256e 2924176c979b d7f1e3acdc33
    1b8fa770f013 4f6a07ab35b1 df230f62739b d9fff40762dd 4a5446ace419 ee9edbbfd46d 4016e2585e3d 1005a8fb0c25
    27b439ab6e02 99f96044b954 38b7584dbff6 5cec2a9f5695 a43029cbb004 7b2681b998a8 2c8d36fe19a6 0cd9d0cb4bd9
    99180d6aeddf cab1c7a9ee99 9cbb0b5ffd36 3954f1d3f435 38a17a4206d5 243903f92339 9ad91b22a214 973a8c938727
    767fb55673cf 2f9df293d1bf b2dded06c43d 1b0b69172bad 7d902745b78a b6e565b4ad4e 0bae34bc2d2d c2fa1bace4dd
    cbffa1ee1e37 cfa760c77068 6557f2beddce 1b0a272dc71c
  `,
  "the test vectors of BIP-39": `
    9858effd232b 6fac4d18c912 b6716976a3eb f3f50213c1d2 51ca8ff9f1c0 a40cfbfc8534 b191a13bfe64 593814d3309e
    b14c391e2bf1 4c1c56443abf ef4ba1637384 a251f9b1f365 7286a5102bb0 5edc7559f077 9ef58eab71ab a25d37554eb0
    f4eed1f0589e 516a2191b53f 944a807c53bc 5096eee90aa1
  `,
  "the second test vector of BIP-39": `
    58a57ed9d8d6 0d3eb21b6b21 e42f4612e154 2f07c220dc62 1454168e82ef 4fb070ef7096 603049dcd328 3eb84b6a7b47
    a642b057f480 61e3a1187650 f51b647eda32 c529e5f8d5b1 0cc809982990 f625ecb69e3e 20b3a8cbfcc2 7f3aef3ebeb2
    088540ab513b 66e665004e2f d0861feaf6eb 1bf35cd18ba0
  `,
  "MetaMask's tests": `
    634c46f28a33 c3e982381b32 0d14f0f05911 4732be7ddf2d 10b74cfce844 96a9185afd1c 323eb9799402 9adf4983342c
    e6c78303d83f ea9f5e49c739 8a017576977f 694f62d7b33d 811f610f7fa7 f502a90dcc65 21a5e4435d72 01b06e784188
    578ea0c99a65 b00a2205e4d8 a34d36f38660 9037bcf066b3
  `,
  "0x's tests": `
    5409ed021d92 6ecbe1db9ef7 e36ea790bc9d e834ec434dab 78dc5d2d7396 a8dda8d7f531 06cef8e66676 4404ac8bd8f9
    7457d5e02197 91c987bf62d2 6a7d785ffa5d 603699848c84 7e98fdf18dae 5bcb10204f39 88644d18a948 93dcd0dd8b9e
    aa6676733e2e 4e11c2cf71ff db51e4f0c7ae accf7803c88b
  `,
  zkSync: `
    ac6799749b3c a61464658afe bc989fde9e54
  `,
  Arbitrum: `
    3f1eae7d46d8
  `,
  "go-ethereum": `
    71562b719998
  `,
  Besu: `
    fe3b557e8fb6
  `,
  Moonbeam: `
    f24ff3a9cf04 3cd0a705a2dc
  `,
  "web3.js": `
    2c7536e3605d b8ce9ab6943e
  `,
  [GUESSERS]: `
    7e5f4552091a 2b5ad5c4795c 6813eb936237 1eff47bc3a10 e1ab8145f7e5 e57bfe9f44b8 d41c057fd1c7 f1f6619b38a9
    f7edc8fa1ecc 4cceba2d7d2b 3da8d322cb24 dbc23ae43a15 68e527780872 5a83529ff76a 8735015837bd fae394561e33
    252dae0a4b9d 79196b90d1e9 4bd1280852ca 811da72aca31 157bfbecd023 37da28c050e3 3bc8287f1d87 f4e2b0fcbd0d
    9a5279029e9a c39677f5f47d 1dc728786e09 636cc6578308 4a7a7c2e0920 a56160a359f2 6b09d6433a37 32e77de0d74a
    093d49d617a1 138854708d8b 7dc0a40d64d7 9358a525cc25 d8e8ea89d71d b56ed8f48979 f65ac7003e90 d817d23c9814
    f2adb90aa27a ae3dffee97f9 eb3025e7ac27 9e3289708dc5 6c23face014f b83b6241f966 6350872d7465 673c638147fe
    f47208618638 5ae58d2bc514 2b29bea668b0 3797126345fb e6869cc98283 a5dfe354b3fc a1a625ae13b8 a33c9d26e1e3
    f9807a8719ae a1ba6fc3ea0e 366c20b40048 eb0e56f32246 db3ed822b78f b88c19426f03 32e04b012ac8 e0dd44773f76
    756be12856a8 6f4c950442e1 4d1bf28514a4 b0142d883494 1326324f5a9f f9a2c330a19e 7a601ffa997c a92f4b5c4fdd
    850cc185d6ca b1b7c87e8a0b ff844fdb49e0 1ac6f9601f2f c2aa6271409c 883d01eae6ea 127688bbc070 0b54a50c0409
    afd46e3549cc 752481f35bb1 ac32def421e3 fe6032a0810e 5cb6f3e6499d 84b743441b7b 8530a26f6c06 5ce162cfa620
    2853dc9ca40d 802271c02f76 7bd2aa0726ac b540c05d9b25 a72392cd4be2 cf484269182a 994907cb80bf 36eab6ce7fed
    440db3ab8429 25ac70ea6f44 24d881139ee6 d9a284367b6d e6b3367318c5 88c0e901bd1f 7231c364597f 043aed06383f
    0c95931d9569 417f3b59ef57 d6b931d8d441 9220625b1a30 997cf669860a b961768b5785 052b91ad9732 8df64de79608
    0e7b23cd1fdb fbbc41289f83 61e1da6c7b8b 87fcbe641873 2acf0d6fdac9 1715eb68afba 58bab2f728dc 25346934b4fa
    a01cca6367a8 872917cec899 6c1a01c2ab55 13c0e7c715fd e8c5025c803f 639acdbd838b b3087f34edab c6a210606f2e
    d01c9d93efc8 00edf2d16afb f5d722030d17 ae3d43ab6fdc 0dc8b8ef8457 de521346f932 69842e12d6f3 9b7bdf6ad17d
    a2d47d2c4200 b0c249f6f92f 839d96957f21 2a0d6b92b042 a4f8c598927e db21655b672d 21289cd01f9f 0b62d63c314d
    9383e3096133 64e582c17ab7 848406919d01 5fe015779fb3 28b6e15f8602 271d65af9a5a ddf44e34ed40 e5854075272c
    2798ba84d783 7e9961fa09dd f33d2f7d96f9 eec566c793a8 2001f8cdcdee 3bf958fa0626 b0d744fde06b 18eb36d090ee
    d2431ca38735 612b7be154a6 681ce2f439fd 2174ca3ee9ac 1d694d5ad94f 0b6fe046e6fd 258f4ed0560e e2a09565167d
    9af70704e9ec eb9afe072c78 07748403082b 63486b70d804 5181be40152c 9481da7766c0 42aba3530dd1 05650444ace1
    d83d18a2eae2 4a35a802dbd6 4dbaf6c348d8 9efc4e49be8f 68efde0cdd91 99b52813933a 7b35461cc5ad 8ee8813fb9d4
    69c1bc7883a7 31eb18dd6f5a f5d122e123d9 f762854586a4 1e3f8fb9f840 3c1638a25ad7 2eedf8a799b7 cdef6f23a26f
    0a2035683fe5 158cc083cfbc 691cb1645a4f 754164c0cb85 556330e8d929 1745ceba112b a24c85b16a44 5304fb08724d
    256a11785fc4 a9f161a2badd d5cc10c45fc0 381c7a71035b 45cdbeea730d 6367283f25a3 598e94eb5e05 379ff6375f4a
    18df8ba2ef19 ffceebc37a73 1cd21f00b588 26324733d604 4102d394d723 269c370cb95b 3bb9557113fb 3f588a72d94d
    7cfa9eee1d75 7bc23966c419 c4ad60337b04 fc5ba3041f75 32480c2d8579 8041c9a96585 444ca66b3ceb f084bbaabee1
    602d562b4ef2 216faec139a6 11eb17b20113 e69017fcc36b e5549f429a72 161c2e10407e 4161220db043 b33609811fb3
    4148555ea4c0 4f81e991f762 ba95e317ead0 f6203c4fb14d 73377d622826 f7862d105fc6 fa1205e19719 4f46630115b4
    7492ebbc1e7f c0af3981f9c0 8621dd642245 c328de035c91 a11308e3b741 c4ff1b4565ee 63a36aea8570 f7205066c153
    a8ce5c40c4aa 81f58f2194b0 f02180081202 90f022e3ca84 1d1f873ba1dd 0311afd3bc2a 5044a80bd3ef fc3240266718
    80c0dbf23922 92d48ff5523c 2ef1f47e3244 b69f25896e3c 941171032778 dc6999513539 ca193534a86c 6023eb78b679
    bdc7a9d74e71 df8e88eb567f 5c6bd1597b14 b67983fe9cce ad98c8a3fa5b f66b31d0638d e8de258b404f 44e9f52c16f2
    1a642f0e3c3a 5050a4f4b3f9 3325a78425f1 c48b812bb434 d09ad14080d4 0cb030d11a8b 4a62316623ad 99c851eaa3c3
    58da990a8f4a c171033d5cbf f288ecaf1579 63467b02a738 229c784b93cc 81a1f7ca1a40 691a8d05678f ef045a554cbb
    19e7e376e7c2 1c5a77d9fa7e 03a1bba60b5a 1e32abcfe6db 33e0f539e31b a143c96c4a51 7e9fb40f66c4 d7e7539ea74b
    04929bb86076 ef4b70013a5d b1a7d9428ce5 1950290aa527 740a3a6e40c5 ebe6c4d9aaa0 a88b710fafff b6e610921b0a
    2bd0c9fe079c 1563915e194d d3e442496eb6 a06add288df8 7bded251c78e 3843e244616d b9b110ac7c7b f2c4d7059210
    fca06a5c33a9 b0e5863d0ddf 3252b7b65e50 f0dcb0ea8780 d5ac7674ac15 33a2a9c81e46 9afbcb9d8bda 827b44d53df2
    77952ce83ca3 94622cc2a5b6 5cbdd86a2fa8 0331ced0875e 8b11c43881b3 0df5283b84d8 77f7cc39cbc4 07412f688dad
    e70e89a365dd 6ceee2d764ee 2bf55be7bbe5 2ba61c536d3d 4b10670266db 654ef0113cc2 47820000414d ee7e767e0491
    a267e4f15c97 17c518516740 5975c152fe58 7564105e9775 e0da1edcea03 9d8a62f656a8 b595b18c88b1 1999bec693cf
    c006f956243f acd4fb2e5246 504e4fbab7bc db00079cad3e ba32858ea15a 2f59f55ddf70 d31b822b2333 b3c77fc7b3b1
    fa17c5b66a98 83279fae0994 45de2eddbe19 083ed08f75c4 e1fae9b4fab2 3b766969ee0e 8b75db8a458f 43516a6b5509
    3792a991e81f a8049bb68181 91692f169934 b7cf38e4b36b 01b573f89af2 d8291e50e2e6 050964a9cbb4 a3a26b543528
    ed5970f07eea fa2cbbcafbb0 fc5e22c7be9d 1c5e6f6f6c78 601950f264f4 db2430b4e9ac 5c0fe4435ba3 01fc499ee97d
    be93f9bacbcf b763f1270693 9494488e0f29 e4634c362faf 9b0b59b5bcc9 db6359d005df 5f9903cc0344 a0501dcbd154
    16abcdab9880 6689120b6767 6b1abbc6b0fe 3072b329d98a 51388e48cdab 21e2b935591b ae72a48c1a36 ea0c0d77f611
    3893263bf8b2 3e20ab25eb72 8bf26bb2d79e 07054005e371 e689d2f0a9ce 3c6e03fb0cae a1d79dfa76e9 e6d8cc9254d2
    f44b17af0357 cb2043d887c1 b8f1a8a8d02e 8bdf551ff0b9 19ae905fa16e 0a6f1f7c4536 1dbe46b5c2d2 62f94e9ac934
    91a4a514f774 8078a69aacf8 da519e0e438d 2a78a6ae343c 6118114fbbfd 500e2b9bbeb3 3675ca766065 4229d2045d01
    751562ab6780 f8f78574c6de b9777ec1237e efd404dff348 e1f44bd565ee 407d0027dea2 d85e0713118e f75e5298747b
    0d8e461687b7 bff17e1628e8 45178b7292e0 3685a315e964 34f7d75b7a92 a592c29d6207 41bb896fc940 8bf640a099fe
    5d5c99edf529 a64c3a7db2a9 9ff94f0c8ab9 e23f489dd303 f5b33dc66fe0 bb50b6623454 1e4e03514241 29fd8d438413
    ca277de5562a 8fd379246834 e239cdc5fbe9 e57e649e59fb 45c4ef602bc5 9641bc120310 688de0abf8f0 af295d3c842b
    08c86b491a37 75e0de31eca8 88d78a6ca419 2c23dcb9d5aa 245242ebd6fc 0c05c3cf1386 4bdbca4aa33f 039f7959184c
    9c24f35c6bcc fe7854bc8ca7 88f9b82462f6 c644588f3565 fe095b24b112 3b09f374c313 e0a2872b87ae 4ee73ecbf603
    eb3b58054334 8bfa4eeedbaa 3c524fd949d6 ac1a4312f46a 8d76e7c88ffa 3a02e3d6a348 c9d046351eb2 bc62feccf430
    4ebd671e64b3 a55aa83c7090 a5db450b9520 e8acf143afbf 89aef553a06a 755089898d65 12e0d6bbfe80 21595063f239
    d92936450350 c47f4bb0c8cb aaf3b12ac90a 271928ead7d1 d8c8bbf7b14b 0e9f7b2f6b2a 2cbbc49e0041 cc12cb2db047
    226f5b26c728 d722f0c1a90d 26177d43a300 18b85bf9c62d a84585fb6728 8c58118a6437 b77a6e8e098f bf03f5b8aeca
    b22ce629b429 7f00ca392c24 d6d0353414b7 82fb03e6d418 facf6f3e9532 f29e70c26b5c 57686bef0989 4ac956e34905
    b9f4ec9dad30 0a3dfdf0da2b 2723f494358a 97f59cc27dcf 66a4756472e2 46a23e25df9a 2c581a028ced 33c2c1b18ea0
    fdc9a10526e3 00b37c40e978 7ed952b312bd 2b81a9e50786 a4906a434200 d46c17380c23 49aba4289cd7 606d68e95aa1
    782b4b8c73b6 14dcb427a216 07d65fbaa3f9 b0c888d71e1e 0115c80ea7e5 e11d6a43aaae c96aaa54e2d4 fcad0b19bb29
    9cce34f7ab18 41ad2bc63a20 8e8161a194db 8d362265d763 e402a27cd3e8 fb36d3cc8295 c08b5542d177 2a260a110bc7
    9d39856f9182 fb35ad702e71 38e959391dd8 ded2c0163ed2 5ccfa55c29f0 eba8cdda5058 e233251d121a 1473a1867ec5
    aa10a84ce7d9 8f4c5d244ae3 9f86b1918e5c 5de6875303de 385df94d4e68 398d56afd83e 70312c355133 93ef18ba6f2e
    647ed583bcc3 eae88888203a 219b3d7665fe 392d376c5a62 cd2a3d9f938e b4d3abf0fec4 4eb60bfab454 80e881665179
    5beb9e9641a6 5c745038489b 0a489345f9e9 e16ccfc63368 fb44fa086574 2f63cbeb054c 4a07a55b1dd6 78d0903c4beb
    96826d1f07e2 1765b6fc23ee 902904cb709b 1f8f9e25446e e78b470c4ecd 3ea131030614 301d9d45a5b2 8b89976fce25
    3971fc06711c 2ef167067229 36d5c4094453 2b912f1e8971 583188a9cf77 35778055b8ed 71d0fc7d1c57 881b6f98b7f9
    aa0d4b5e47b1 f651e0dbba20 89d768f75bd1 1e891857c512 6ff24b19489e 09332b1e45e6 3e2e2e3ac47e 992760984698
    cb22c3b28393 dccd62d450c6 2a92424368bb d2665e6bd920
  `,
};

const ownerByPrefix = new Map(
  Object.entries(PREFIXES).flatMap(([owner, text]) =>
    text
      .trim()
      .split(/\s+/)
      .map((prefix) => [prefix, owner] as const),
  ),
);

/** Who published the private key of an address, by the address in lower case; undefined of any other. */
export const publisherOf = (address: string): string | undefined => ownerByPrefix.get(address.slice(2, 14));

/** The order of secp256k1: SEC 2, section 2.4.1. */
export const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The address of a private key of 64 hex digits; undefined of what is none. */
export function addressOfKey(hex: string): string | undefined {
  if (!/^[0-9a-f]{64}$/.test(hex)) return undefined;
  const key = BigInt(`0x${hex}`);
  if (key === 0n || key >= ORDER) return undefined;
  const curve = createECDH("secp256k1");
  curve.setPrivateKey(hex, "hex");
  return `0x${keccak256(curve.getPublicKey().subarray(1)).slice(-40)}`;
}
