// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @title Pays the same amount to many, all or none, and never twice under one name
/// @notice Moves only tokens of the sender, who has approved this contract, and keeps nothing. A name is the sender's own:
/// nobody else can use it up. No owner, no upgrade, no ether.
contract Airdrop {
    using SafeERC20 for IERC20;

    /// @notice The block in which a payer paid under a name; zero while it has not.
    mapping(address payer => mapping(bytes32 id => uint256 blockNumber)) public paidAt;

    event Paid(address indexed payer, bytes32 indexed id, address token, uint256 amountEach, uint256 recipients);

    /// @notice The sender paid under this name before.
    error PaidAlready(uint256 blockNumber);

    /// @notice Moves `amountEach` of the sender's tokens, in their smallest unit, to each recipient.
    function pay(bytes32 id, IERC20 token, uint256 amountEach, address[] calldata recipients) external {
        uint256 before = paidAt[msg.sender][id];
        if (before != 0) revert PaidAlready(before);
        paidAt[msg.sender][id] = block.number;
        for (uint256 i = 0; i < recipients.length; i++) {
            token.safeTransferFrom(msg.sender, recipients[i], amountEach);
        }
        emit Paid(msg.sender, id, address(token), amountEach, recipients.length);
    }
}
