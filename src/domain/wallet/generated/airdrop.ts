/** Written by `npm run contracts` from src/domain/wallet/contracts/Airdrop.sol; not to be edited. */

/** The compiler, and its settings: EVM cancun, optimized for 1000000 runs, no metadata. */
export const SOLC = "0.8.37+commit.f401782d.Emscripten.clang";

export const SOURCE_SHA256 = "4850c4d53356da62c8150662a770ef73a831be24a8641b587f41dcfbf53a7162";

export const INIT_CODE = "0x6080604052348015600e575f5ffd5b506103dc8061001c5f395ff3fe608060405234801561000f575f5ffd5b5060043610610034575f3560e01c806373a389c3146100385780638d7213851461004d575b5f5ffd5b61004b6100463660046102d0565b610086565b005b61007461005b366004610363565b5f60208181529281526040808220909352908152205481565b60405190815260200160405180910390f35b335f9081526020818152604080832088845290915290205480156100de576040517f393af6c6000000000000000000000000000000000000000000000000000000008152600481018290526024015b60405180910390fd5b335f9081526020818152604080832089845290915281204390555b828110156101535761014b338585848181106101175761011761038d565b905060200201602081019061012c91906103ba565b73ffffffffffffffffffffffffffffffffffffffff89169190886101b7565b6001016100f9565b506040805173ffffffffffffffffffffffffffffffffffffffff8716815260208101869052908101839052869033907f10fa550e6cee394dcb546ce24d453ae92dabb7bcc15a4c80b6cd40394f11d51f9060600160405180910390a3505050505050565b6101c5848484846001610219565b610213576040517f5274afe700000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff851660048201526024016100d5565b50505050565b6040517f23b872dd000000000000000000000000000000000000000000000000000000005f81815273ffffffffffffffffffffffffffffffffffffffff8781166004528616602452604485905291602083606481808c5af1925060015f5114831661029b57838315161561028f573d5f823e3d81fd5b5f883b113d1516831692505b604052505f60605295945050505050565b73ffffffffffffffffffffffffffffffffffffffff811681146102cd575f5ffd5b50565b5f5f5f5f5f608086880312156102e4575f5ffd5b8535945060208601356102f6816102ac565b935060408601359250606086013567ffffffffffffffff811115610318575f5ffd5b8601601f81018813610328575f5ffd5b803567ffffffffffffffff81111561033e575f5ffd5b8860208260051b8401011115610352575f5ffd5b959894975092955050506020019190565b5f5f60408385031215610374575f5ffd5b823561037f816102ac565b946020939093013593505050565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b5f602082840312156103ca575f5ffd5b81356103d5816102ac565b939250505056";

export const ABI = [
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "blockNumber",
        "type": "uint256"
      }
    ],
    "name": "PaidAlready",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "token",
        "type": "address"
      }
    ],
    "name": "SafeERC20FailedOperation",
    "type": "error"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "payer",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "id",
        "type": "bytes32"
      },
      {
        "indexed": false,
        "internalType": "address",
        "name": "token",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "amountEach",
        "type": "uint256"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "recipients",
        "type": "uint256"
      }
    ],
    "name": "Paid",
    "type": "event"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "payer",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "id",
        "type": "bytes32"
      }
    ],
    "name": "paidAt",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "blockNumber",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "id",
        "type": "bytes32"
      },
      {
        "internalType": "contract IERC20",
        "name": "token",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "amountEach",
        "type": "uint256"
      },
      {
        "internalType": "address[]",
        "name": "recipients",
        "type": "address[]"
      }
    ],
    "name": "pay",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  }
] as const;
