// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// What a test needs of ERC-8004's Identity Registry: agents with an owner and a wallet, numbered from 0.
contract IdentityRegistry {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    error ERC721NonexistentToken(uint256 tokenId);

    uint256 private next;
    mapping(uint256 => address) private owners;
    mapping(uint256 => address) private wallets;

    /// The sender owns it, and is its wallet.
    function register() external returns (uint256 agentId) {
        agentId = next++;
        owners[agentId] = msg.sender;
        wallets[agentId] = msg.sender;
        emit Transfer(address(0), msg.sender, agentId);
    }

    function ownerOf(uint256 tokenId) public view returns (address owner) {
        owner = owners[tokenId];
        if (owner == address(0)) revert ERC721NonexistentToken(tokenId);
    }

    function getAgentWallet(uint256 agentId) external view returns (address) {
        ownerOf(agentId);
        return wallets[agentId];
    }

    /// The registry itself asks for the new wallet's signature, too.
    function setAgentWallet(uint256 agentId, address newWallet) external {
        require(msg.sender == ownerOf(agentId), "not the owner");
        wallets[agentId] = newWallet;
    }

    /// Whoever gets it sets a wallet anew.
    function transferFrom(address from, address to, uint256 tokenId) external {
        require(msg.sender == from && from == ownerOf(tokenId), "not the owner");
        owners[tokenId] = to;
        wallets[tokenId] = address(0);
        emit Transfer(from, to, tokenId);
    }
}
