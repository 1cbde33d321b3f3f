// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Tree heads of append-only logs, each proven to continue the one before
/// @notice Keeps, for each signer and log, the newest tree head, and takes a larger one only with an RFC 9162
/// consistency proof from it: a history that was rewritten cannot be anchored. The signer is the sender, and nobody else
/// can touch what is kept under its address. Also records when hashes of seeds were committed, and which key or contract
/// a signer names to follow. No owner, no upgrade, no ether, and no call but to the SHA-256 precompile.
contract LogAnchor {
    /// @dev Two slots: the root, and the numbers beside each other.
    struct Head {
        bytes32 root;
        uint64 size;
        uint64 blockNumber;
        uint64 timestamp;
    }

    struct Commitment {
        uint64 blockNumber;
        uint64 timestamp;
    }

    mapping(address signer => mapping(bytes32 logId => Head)) private heads;
    mapping(address signer => mapping(bytes32 seedHash => Commitment)) private commitments;

    /// @notice The key or contract that a signer named to follow; zero while there is none.
    mapping(address signer => address) public successor;

    event Anchored(address indexed signer, bytes32 indexed logId, uint64 size, bytes32 root);
    event SeedCommitted(address indexed signer, bytes32 indexed seedHash, uint64 timestamp);
    event Endorsed(address indexed signer, address indexed successor);

    /// @notice The head kept is at least as large; it is named, so that a repetition is told from a fork.
    error NotLarger(uint64 size, bytes32 root);
    /// @notice The proof does not lead from the kept head to the new one.
    error Inconsistent();
    /// @notice A signer names one successor, once, and not itself.
    error NotEndorsable(address successor);

    /// @notice Keeps the head (size, root) of the sender's log. The first one of a log needs no proof, so `proof` is empty.
    /// @param logId SHA-256 of the log's origin.
    /// @param size Number of leaves. A root does not tell it, and a proof only the shape of the tree around the old head,
    /// so the exact number is the signer's word, which whoever has the leaves can hold against the root.
    /// @param root Tree hash of RFC 9162, section 2.1.1, with SHA-256.
    /// @param proof Consistency proof of RFC 9162, section 2.1.4.1, from the head kept to this one.
    function anchor(bytes32 logId, uint64 size, bytes32 root, bytes32[] calldata proof) external {
        Head storage kept = heads[msg.sender][logId];
        uint64 keptSize = kept.size;
        bytes32 keptRoot = kept.root;
        if (size <= keptSize) revert NotLarger(keptSize, keptRoot);
        if (keptSize == 0 ? proof.length != 0 : !isConsistent(keptSize, keptRoot, size, root, proof)) {
            revert Inconsistent();
        }
        kept.root = root;
        (kept.size, kept.blockNumber, kept.timestamp) = (size, uint64(block.number), uint64(block.timestamp));
        emit Anchored(msg.sender, logId, size, root);
    }

    /// @notice Records this block as the time of hashes not yet committed by the sender; the others keep theirs.
    function commitSeeds(bytes32[] calldata seedHashes) external {
        for (uint256 i = 0; i < seedHashes.length; i++) {
            Commitment storage commitment = commitments[msg.sender][seedHashes[i]];
            if (commitment.timestamp != 0) continue;
            (commitment.blockNumber, commitment.timestamp) = (uint64(block.number), uint64(block.timestamp));
            emit SeedCommitted(msg.sender, seedHashes[i], uint64(block.timestamp));
        }
    }

    /// @notice Names the key that follows the sender's, or the contract on which it goes on.
    function endorse(address next) external {
        if (next == address(0) || next == msg.sender || successor[msg.sender] != address(0)) {
            revert NotEndorsable(next);
        }
        successor[msg.sender] = next;
        emit Endorsed(msg.sender, next);
    }

    /// @notice The newest head of a signer's log, and when it was anchored; all zero when there is none.
    function head(address signer, bytes32 logId)
        external
        view
        returns (uint64 size, bytes32 root, uint64 blockNumber, uint64 timestamp)
    {
        Head storage kept = heads[signer][logId];
        return (kept.size, kept.root, kept.blockNumber, kept.timestamp);
    }

    /// @notice When a signer first committed a hash; both zero when it never did.
    function seedCommittedAt(address signer, bytes32 seedHash)
        external
        view
        returns (uint64 blockNumber, uint64 timestamp)
    {
        Commitment storage commitment = commitments[signer][seedHash];
        return (commitment.blockNumber, commitment.timestamp);
    }

    /// @dev RFC 9162, section 2.1.4.2, in its words: fn and sn are the last leaves of both trees, climbing; fr and sr the
    /// hashes above them so far. `0 < first < second` holds, so nothing here over- or underflows.
    function isConsistent(uint64 first, bytes32 firstRoot, uint64 second, bytes32 secondRoot, bytes32[] calldata proof)
        private
        view
        returns (bool)
    {
        unchecked {
            uint256 fn = first - 1;
            uint256 sn = second - 1;
            while (fn & 1 == 1) (fn, sn) = (fn >> 1, sn >> 1);

            // A first tree that is perfect (fn is 0 by now) is itself the node from which the proof starts.
            uint256 next = 0;
            bytes32 fr = firstRoot;
            if (fn != 0) {
                if (proof.length == 0) return false;
                fr = proof[next++];
            }
            bytes32 sr = fr;

            for (; next < proof.length; next++) {
                if (sn == 0) return false;
                bytes32 sibling = proof[next];
                if (fn & 1 == 1 || fn == sn) {
                    fr = node(sibling, fr);
                    sr = node(sibling, sr);
                    while (fn & 1 == 0 && fn != 0) (fn, sn) = (fn >> 1, sn >> 1);
                } else {
                    sr = node(sr, sibling);
                }
                (fn, sn) = (fn >> 1, sn >> 1);
            }
            return sn == 0 && fr == firstRoot && sr == secondRoot;
        }
    }

    /// @dev SHA-256(0x01 || left || right). Assembly, because abi.encodePacked takes new memory and copies for each of the
    /// up to 39 nodes of a proof over a million leaves; here they share one place beyond the memory in use.
    function node(bytes32 left, bytes32 right) private view returns (bytes32 hash) {
        assembly ("memory-safe") {
            let input := mload(0x40)
            mstore8(input, 0x01)
            mstore(add(input, 0x01), left)
            mstore(add(input, 0x21), right)
            if iszero(staticcall(gas(), 0x02, input, 0x41, 0x00, 0x20)) { revert(0, 0) }
            hash := mload(0x00)
        }
    }
}
