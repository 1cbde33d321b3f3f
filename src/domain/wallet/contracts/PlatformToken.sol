// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title The platform token: OpenZeppelin's ERC-20 with 18 decimals and a supply that never changes
/// @notice No owner, no minting after the deployment, no pause.
contract PlatformToken is ERC20 {
    /// @param holder Is given the whole supply: a thousand million tokens.
    constructor(address holder) ERC20("Tallystick", "TALLY") {
        _mint(holder, 1_000_000_000 ether);
    }
}
