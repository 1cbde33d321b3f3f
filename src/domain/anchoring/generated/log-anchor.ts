/** Written by `npm run contracts` from src/anchoring/contracts/LogAnchor.sol; not to be edited. */

/** The compiler, and its settings: EVM cancun, optimized for 1000000 runs, no metadata. */
export const SOLC = "0.8.37+commit.f401782d.Emscripten.clang";

export const SOURCE_SHA256 = "fbc9363af218205095586772b5001d5d8e0be68660792c244370cfd474a11467";

export const INIT_CODE = "0x6080604052348015600e575f5ffd5b506109ab8061001c5f395ff3fe608060405234801561000f575f5ffd5b506004361061006f575f3560e01c8063759c4d661161004d578063759c4d661461017157806394cb1247146101cb578063eed96158146101de575f5ffd5b806324e8393d146100735780632d934986146101285780636ea5511f1461015c575b5f5ffd5b6100ef610081366004610845565b73ffffffffffffffffffffffffffffffffffffffff919091165f90815260208181526040808320938352929052206001810154905467ffffffffffffffff80831693919268010000000000000000810482169270010000000000000000000000000000000090910490911690565b6040805167ffffffffffffffff958616815260208101949094529184169183019190915290911660608201526080015b60405180910390f35b61013b610136366004610845565b6101f1565b6040805167ffffffffffffffff93841681529290911660208301520161011f565b61016f61016a36600461086d565b610243565b005b6101a661017f36600461086d565b60026020525f908152604090205473ffffffffffffffffffffffffffffffffffffffff1681565b60405173ffffffffffffffffffffffffffffffffffffffff909116815260200161011f565b61016f6101d93660046108ce565b610378565b61016f6101ec36600461090d565b6104b7565b73ffffffffffffffffffffffffffffffffffffffff82165f90815260016020908152604080832084845290915290205467ffffffffffffffff80821691680100000000000000009004165b9250929050565b73ffffffffffffffffffffffffffffffffffffffff8116158061027b575073ffffffffffffffffffffffffffffffffffffffff811633145b806102a95750335f9081526002602052604090205473ffffffffffffffffffffffffffffffffffffffff1615155b156102fd576040517fddcfd4e700000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff821660048201526024015b60405180910390fd5b335f8181526002602052604080822080547fffffffffffffffffffffffff00000000000000000000000000000000000000001673ffffffffffffffffffffffffffffffffffffffff861690811790915590519092917f23bca93d1f21ae32b587bcfa6c4c3310685b7d09d5a18b30f748e0af6d7ee0fb91a350565b5f5b818110156104b257335f908152600160205260408120818585858181106103a3576103a361097e565b602090810292909201358352508101919091526040015f20805490915068010000000000000000900467ffffffffffffffff16156103e157506104aa565b80547fffffffffffffffffffffffffffffffff0000000000000000000000000000000016680100000000000000004267ffffffffffffffff908116919091027fffffffffffffffffffffffffffffffffffffffffffffffff000000000000000016919091174390911617815583838381811061045f5761045f61097e565b60405167ffffffffffffffff4216815260209182029390930135923392507f20b2b4f67a627cca9366a1bccbdfd6dd1e704f3186bf72616ae1b16d7d28777e910160405180910390a3505b60010161037a565b505050565b335f9081526020818152604080832088845290915290206001810154815467ffffffffffffffff918216918716821061052f576040517f4792a82400000000000000000000000000000000000000000000000000000000815267ffffffffffffffff83166004820152602481018290526044016102f4565b67ffffffffffffffff8216156105535761054d828289898989610683565b15610557565b8315155b1561058e576040517ff0aeb8ee00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b8583556001830180547fffffffffffffffff00000000000000000000000000000000ffffffffffffffff167001000000000000000000000000000000004267ffffffffffffffff908116919091027fffffffffffffffffffffffffffffffff0000000000000000ffffffffffffffff16919091176801000000000000000043831602177fffffffffffffffffffffffffffffffffffffffffffffffff0000000000000000169089169081179091556040805191825260208201889052899133917f3d0c97912257c6ad70e8f6fc81ae518ad3e14734d308b512c2729cc637a4b0b1910160405180910390a35050505050505050565b5f67ffffffffffffffff7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff808901821691908701165b816001166001036106d057600191821c911c6106b9565b5f88831561070e575f8690036106ec575f9450505050506107e3565b8686838060010194508181106107045761070461097e565b9050602002013590505b805b868310156107c357835f0361072c575f955050505050506107e3565b5f88888581811061073f5761073f61097e565b905060200201359050856001166001148061075957508486145b156107a15761076881846107ed565b925061077481836107ed565b91505b6001861615801561078757508515155b1561079c57600195861c959490941c93610777565b6107ae565b6107ab82826107ed565b91505b50600194851c9493841c939290920191610710565b831580156107d057508a82145b80156107db57508881145b955050505050505b9695505050505050565b5f6040516001815383600182015282602182015260205f60418360025afa610813575f5ffd5b50505f5192915050565b803573ffffffffffffffffffffffffffffffffffffffff81168114610840575f5ffd5b919050565b5f5f60408385031215610856575f5ffd5b61085f8361081d565b946020939093013593505050565b5f6020828403121561087d575f5ffd5b6108868261081d565b9392505050565b5f5f83601f84011261089d575f5ffd5b50813567ffffffffffffffff8111156108b4575f5ffd5b6020830191508360208260051b850101111561023c575f5ffd5b5f5f602083850312156108df575f5ffd5b823567ffffffffffffffff8111156108f5575f5ffd5b6109018582860161088d565b90969095509350505050565b5f5f5f5f5f60808688031215610921575f5ffd5b85359450602086013567ffffffffffffffff8116811461093f575f5ffd5b935060408601359250606086013567ffffffffffffffff811115610961575f5ffd5b61096d8882890161088d565b969995985093965092949392505050565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd";

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
