// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

interface IERC3009 {
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) external;
}

/// @title The collector of deposits by ERC-3009 of a development chain
/// @notice Answers as x402's ERC3009DepositCollector does, and is our own work. The authorization's nonce binds it to its
/// channel, so nobody can put the money into another one.
contract Collector {
    using SafeERC20 for IERC20;

    address public constant CHANNELS = 0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003;

    error NotChannels();

    function collect(address payer, address token, uint256 amount, bytes32 channelId, bytes calldata data) external {
        if (msg.sender != CHANNELS) revert NotChannels();
        (uint256 validAfter, uint256 validBefore, uint256 salt, bytes memory signature) =
            abi.decode(data, (uint256, uint256, uint256, bytes));
        bytes32 nonce = keccak256(abi.encode(channelId, salt));
        IERC3009(token).receiveWithAuthorization(
            payer, address(this), amount, validAfter, validBefore, nonce, signature
        );
        IERC20(token).safeTransfer(CHANNELS, amount);
    }
}
