/** Written by `npm run contracts` from src/anchoring/contracts/LogAnchor.sol; not to be edited. */

/** The compiler, and its settings: EVM cancun, by way of the IR, optimized for 1000000 runs, no metadata. */
export const SOLC = "0.8.37+commit.f401782d.Emscripten.clang";

export const SOURCE_SHA256 = "e6e3766c6b5a9d7a8826c1e8938ade76fbcfbfe439e831528f1ab723677a0729";

export const INIT_CODE = "0x60808060405234601557610828908161001a8239f35b5f80fdfe6080806040526004361015610012575f80fd5b5f3560e01c90816324e8393d14610570575080632d934986146104ef5780636ea5511f146103d4578063759c4d661461035b57806394cb1247146102365763eed961581461005e575f80fd5b346102325760807ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102325760043560243567ffffffffffffffff811690818103610232576044359060643567ffffffffffffffff8111610232576100ca903690600401610628565b91335f525f60205260405f20865f5260205260405f2090600182019384549367ffffffffffffffff8516928454848a111561020357889190856101f45750505050905015155b6101cc578390557fffffffffffffffff00000000000000000000000000000000ffffffffffffffff164260801b77ffffffffffffffff0000000000000000000000000000000016174360401b6fffffffffffffffff000000000000000016178155827fffffffffffffffffffffffffffffffffffffffffffffffff000000000000000082541617905560405191825260208201527f3d0c97912257c6ad70e8f6fc81ae518ad3e14734d308b512c2729cc637a4b0b160403392a3005b7ff0aeb8ee000000000000000000000000000000000000000000000000000000005f5260045ffd5b6101fd95610696565b15610110565b847f4792a824000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b5f80fd5b346102325760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102325760043567ffffffffffffffff811161023257610285903690600401610628565b9067ffffffffffffffff4281169043165f5b8481106102a057005b600190335f528160205260405f206102b9828888610659565b355f5260205260405f2067ffffffffffffffff815460401c166103555780547fffffffffffffffffffffffffffffffff00000000000000000000000000000000166fffffffffffffffff0000000000000000604087901b161784179055610321818787610659565b356040518581527f20b2b4f67a627cca9366a1bccbdfd6dd1e704f3186bf72616ae1b16d7d28777e60203392a35b01610297565b5061034f565b346102325760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102325773ffffffffffffffffffffffffffffffffffffffff6103a7610605565b165f526002602052602073ffffffffffffffffffffffffffffffffffffffff60405f205416604051908152f35b346102325760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102325773ffffffffffffffffffffffffffffffffffffffff610420610605565b16801580156104e6575b80156104bb575b61049057335f52600260205260405f20817fffffffffffffffffffffffff0000000000000000000000000000000000000000825416179055337f23bca93d1f21ae32b587bcfa6c4c3310685b7d09d5a18b30f748e0af6d7ee0fb5f80a3005b7fddcfd4e7000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b50335f52600260205273ffffffffffffffffffffffffffffffffffffffff60405f2054161515610431565b5033811461042a565b346102325760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102325773ffffffffffffffffffffffffffffffffffffffff61053b610605565b165f52600160205260405f206024355f526020526040805f205467ffffffffffffffff8251918181168352831c166020820152f35b346102325760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102325760809073ffffffffffffffffffffffffffffffffffffffff6105bf610605565b165f525f60205260405f206024355f5260205267ffffffffffffffff60405f206001810154905482821684526020840152818160401c166040840152831c166060820152f35b6004359073ffffffffffffffffffffffffffffffffffffffff8216820361023257565b9181601f840112156102325782359167ffffffffffffffff8311610232576020808501948460051b01011161023257565b91908110156106695760051b0190565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff67ffffffffffffffff8181939796979594950116920116905b6001808216146107f4575f8396826107d7575b87929192955b818410610718575050505015938461070e575b50508261070857505090565b14919050565b1492505f806106fc565b9092989584979498959298156107c9576107338a8584610659565b35956001808b161480156107c0575b156107a5579061075961075f92889b9a969b610801565b96610801565b925b60018816158061079c575b1561077e5760011c9660011c96610761565b6001909993969998919295989794975b811c94811c930192916106e9565b5087151561076c565b9894979699939192956107ba90600192610801565b9661078e565b50888a14610742565b505050505050925050505f90565b96505085156107ea5760018435966106e3565b5050505050505f90565b9060011c9060011c6106d0565b60415f9160209360405191600183536001830152602182015260025afa15610232575f519056";

export const ABI = [
  {
    "inputs": [],
    "name": "Inconsistent",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "successor",
        "type": "address"
      }
    ],
    "name": "NotEndorsable",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint64",
        "name": "size",
        "type": "uint64"
      },
      {
        "internalType": "bytes32",
        "name": "root",
        "type": "bytes32"
      }
    ],
    "name": "NotLarger",
    "type": "error"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "signer",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "logId",
        "type": "bytes32"
      },
      {
        "indexed": false,
        "internalType": "uint64",
        "name": "size",
        "type": "uint64"
      },
      {
        "indexed": false,
        "internalType": "bytes32",
        "name": "root",
        "type": "bytes32"
      }
    ],
    "name": "Anchored",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "signer",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "successor",
        "type": "address"
      }
    ],
    "name": "Endorsed",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "signer",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "seedHash",
        "type": "bytes32"
      },
      {
        "indexed": false,
        "internalType": "uint64",
        "name": "timestamp",
        "type": "uint64"
      }
    ],
    "name": "SeedCommitted",
    "type": "event"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "logId",
        "type": "bytes32"
      },
      {
        "internalType": "uint64",
        "name": "size",
        "type": "uint64"
      },
      {
        "internalType": "bytes32",
        "name": "root",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32[]",
        "name": "proof",
        "type": "bytes32[]"
      }
    ],
    "name": "anchor",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32[]",
        "name": "seedHashes",
        "type": "bytes32[]"
      }
    ],
    "name": "commitSeeds",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "next",
        "type": "address"
      }
    ],
    "name": "endorse",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "signer",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "logId",
        "type": "bytes32"
      }
    ],
    "name": "head",
    "outputs": [
      {
        "internalType": "uint64",
        "name": "size",
        "type": "uint64"
      },
      {
        "internalType": "bytes32",
        "name": "root",
        "type": "bytes32"
      },
      {
        "internalType": "uint64",
        "name": "blockNumber",
        "type": "uint64"
      },
      {
        "internalType": "uint64",
        "name": "timestamp",
        "type": "uint64"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "signer",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "seedHash",
        "type": "bytes32"
      }
    ],
    "name": "seedCommittedAt",
    "outputs": [
      {
        "internalType": "uint64",
        "name": "blockNumber",
        "type": "uint64"
      },
      {
        "internalType": "uint64",
        "name": "timestamp",
        "type": "uint64"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "signer",
        "type": "address"
      }
    ],
    "name": "successor",
    "outputs": [
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  }
] as const;
