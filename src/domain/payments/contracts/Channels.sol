// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

interface ICollector {
    function collect(address payer, address token, uint256 amount, bytes32 channelId, bytes calldata data) external;
}

/// @title The payment channels of a development chain
/// @notice Answers as x402BatchSettlement does, by the specification of x402's scheme `batch-settlement` on EVM and its
/// published ABI, and is our own work. Base has x402's contract; this one is for play money.
contract Channels {
    using SafeERC20 for IERC20;

    struct ChannelConfig {
        address payer;
        address payerAuthorizer;
        address receiver;
        address receiverAuthorizer;
        address token;
        uint40 withdrawDelay;
        bytes32 salt;
    }

    struct Voucher {
        ChannelConfig channel;
        uint128 maxClaimableAmount;
    }

    struct VoucherClaim {
        Voucher voucher;
        bytes signature;
        uint128 totalClaimed;
    }

    struct Escrow {
        uint128 balance;
        uint128 totalClaimed;
    }

    struct Withdrawal {
        uint128 amount;
        uint40 initiatedAt;
    }

    struct Earnings {
        uint128 totalClaimed;
        uint128 totalSettled;
    }

    uint40 public constant MIN_WITHDRAW_DELAY = 15 minutes;
    uint40 public constant MAX_WITHDRAW_DELAY = 30 days;

    bytes32 public constant CHANNEL_CONFIG_TYPEHASH = keccak256(
        "ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)"
    );
    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant VOUCHER_TYPEHASH = keccak256("Voucher(bytes32 channelId,uint128 maxClaimableAmount)");
    bytes32 private constant REFUND_TYPEHASH = keccak256("Refund(bytes32 channelId,uint256 nonce,uint128 amount)");
    bytes32 private constant ENTRY_TYPEHASH =
        keccak256("ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)");
    bytes32 private constant BATCH_TYPEHASH = keccak256(
        "ClaimBatch(ClaimEntry[] claims)ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)"
    );

    mapping(bytes32 channelId => Escrow) public channels;
    mapping(bytes32 channelId => Withdrawal) public pendingWithdrawals;
    mapping(bytes32 channelId => uint256) public refundNonce;
    mapping(address receiver => mapping(address token => Earnings)) public receivers;

    event ChannelCreated(bytes32 indexed channelId, ChannelConfig config);
    event ChannelClosed(bytes32 indexed channelId, ChannelConfig config);
    event Deposited(bytes32 indexed channelId, address indexed sender, uint128 amount, uint128 newBalance);
    event Claimed(bytes32 indexed channelId, address indexed sender, uint128 claimAmount, uint128 newTotalClaimed);
    event Settled(address indexed receiver, address indexed token, address indexed sender, uint128 amount);
    event Refunded(bytes32 indexed channelId, address indexed sender, uint128 amount);
    event WithdrawInitiated(bytes32 indexed channelId, uint128 amount, uint40 finalizeAfter);
    event WithdrawFinalized(bytes32 indexed channelId, address indexed sender, uint128 amount);

    error InvalidChannel();
    error ZeroDeposit();
    error InvalidSignature();
    error NotReceiverAuthorizer();
    error NotAuthorizedToClaim();
    error NotAuthorizedToRefund();
    error NotAuthorizedToFinalizeWithdraw();
    error ClaimExceedsCeiling();
    error ClaimExceedsBalance();
    error WithdrawalAlreadyPending();
    error WithdrawalNotPending();
    error WithdrawDelayNotElapsed();
    error WithdrawDelayOutOfRange();
    error WithdrawAmountExceedsAvailable();
    error NothingToWithdraw();
    error EmptyBatch();
    error DepositCollectionFailed();
    error InvalidCollector();
    error InvalidRefundNonce();
    error ZeroRefund();
    error Reentered();

    bool private transient entered;

    modifier once() {
        if (entered) revert Reentered();
        entered = true;
        _;
        entered = false;
    }

    /// @notice Escrows `amount` of the payer's tokens, which the collector pulls by the payer's authorization.
    function deposit(ChannelConfig calldata config, uint128 amount, address collector, bytes calldata collectorData)
        external
        once
    {
        if (config.payer == address(0) || config.receiver == address(0)) revert InvalidChannel();
        if (config.receiverAuthorizer == address(0) || config.token == address(0)) revert InvalidChannel();
        uint40 delay = config.withdrawDelay;
        if (delay < MIN_WITHDRAW_DELAY || delay > MAX_WITHDRAW_DELAY) revert WithdrawDelayOutOfRange();
        if (amount == 0) revert ZeroDeposit();
        if (collector == address(0)) revert InvalidCollector();

        bytes32 id = getChannelId(config);
        Escrow storage escrow = channels[id];
        bool isFirst = escrow.balance == 0 && escrow.totalClaimed == 0;
        escrow.balance += amount;
        IERC20 token = IERC20(config.token);
        uint256 expected = token.balanceOf(address(this)) + amount;
        ICollector(collector).collect(config.payer, config.token, amount, id, collectorData);
        if (token.balanceOf(address(this)) != expected) revert DepositCollectionFailed();
        if (isFirst) emit ChannelCreated(id, config);
        emit Deposited(id, msg.sender, amount, escrow.balance);
    }

    /// @notice Records earnings of channels whose receiver side is the sender.
    function claim(VoucherClaim[] calldata claims) external once {
        if (claims.length == 0) revert EmptyBatch();
        for (uint256 i = 0; i < claims.length; i++) {
            if (!isReceiverSide(claims[i].voucher.channel)) revert NotAuthorizedToClaim();
            record(claims[i]);
        }
    }

    /// @notice The same for anybody who has the signature of the receiver's authorizer over all rows.
    function claimWithSignature(VoucherClaim[] calldata claims, bytes calldata signature) external once {
        if (claims.length == 0) revert EmptyBatch();
        address authorizer = claims[0].voucher.channel.receiverAuthorizer;
        if (!SignatureChecker.isValidSignatureNow(authorizer, getClaimBatchDigest(claims), signature)) {
            revert InvalidSignature();
        }
        for (uint256 i = 0; i < claims.length; i++) {
            if (claims[i].voucher.channel.receiverAuthorizer != authorizer) revert NotReceiverAuthorizer();
            record(claims[i]);
        }
    }

    /// @notice Pays a receiver what was claimed for it; anybody may send it.
    function settle(address receiver, address token) external once {
        Earnings storage earned = receivers[receiver][token];
        uint128 due = earned.totalClaimed - earned.totalSettled;
        if (due == 0) return;
        earned.totalSettled += due;
        IERC20(token).safeTransfer(receiver, due);
        emit Settled(receiver, token, msg.sender, due);
    }

    /// @notice Begins a withdrawal of what is not claimed; it may be finished after the channel's delay.
    function initiateWithdraw(ChannelConfig calldata config, uint128 amount) external once {
        if (!isPayerSide(config)) revert InvalidChannel();
        if (amount == 0) revert NothingToWithdraw();
        bytes32 id = getChannelId(config);
        Withdrawal storage pending = pendingWithdrawals[id];
        if (pending.initiatedAt != 0) revert WithdrawalAlreadyPending();
        if (amount > unclaimed(id)) revert WithdrawAmountExceedsAvailable();
        pendingWithdrawals[id] = Withdrawal(amount, uint40(block.timestamp));
        emit WithdrawInitiated(id, amount, uint40(block.timestamp) + config.withdrawDelay);
    }

    /// @notice Pays the payer what it withdraws, as far as it was not claimed meanwhile.
    function finalizeWithdraw(ChannelConfig calldata config) external once {
        if (!isPayerSide(config)) revert NotAuthorizedToFinalizeWithdraw();
        bytes32 id = getChannelId(config);
        Withdrawal memory pending = pendingWithdrawals[id];
        if (pending.initiatedAt == 0) revert WithdrawalNotPending();
        if (block.timestamp < uint256(pending.initiatedAt) + config.withdrawDelay) revert WithdrawDelayNotElapsed();
        delete pendingWithdrawals[id];
        uint128 paid = smaller(pending.amount, unclaimed(id));
        emit WithdrawFinalized(id, msg.sender, paid);
        giveBack(id, config, paid);
    }

    /// @notice Returns unclaimed escrow to the payer at once; the sender is the receiver's side.
    function refund(ChannelConfig calldata config, uint128 amount) external once {
        if (!isReceiverSide(config)) revert NotAuthorizedToRefund();
        makeRefund(getChannelId(config), config, amount);
    }

    /// @notice The same for anybody who has the signature of the receiver's authorizer.
    function refundWithSignature(
        ChannelConfig calldata config,
        uint128 amount,
        uint256 nonce,
        bytes calldata signature
    ) external once {
        bytes32 id = getChannelId(config);
        if (nonce != refundNonce[id]) revert InvalidRefundNonce();
        bytes32 digest = getRefundDigest(id, nonce, amount);
        if (!SignatureChecker.isValidSignatureNow(config.receiverAuthorizer, digest, signature)) {
            revert InvalidSignature();
        }
        makeRefund(id, config, amount);
    }

    function getChannelId(ChannelConfig calldata config) public view returns (bytes32) {
        return typed(keccak256(abi.encode(CHANNEL_CONFIG_TYPEHASH, config)));
    }

    function getVoucherDigest(bytes32 channelId, uint128 maxClaimableAmount) public view returns (bytes32) {
        return typed(keccak256(abi.encode(VOUCHER_TYPEHASH, channelId, maxClaimableAmount)));
    }

    function getRefundDigest(bytes32 channelId, uint256 nonce, uint128 amount) public view returns (bytes32) {
        return typed(keccak256(abi.encode(REFUND_TYPEHASH, channelId, nonce, amount)));
    }

    function getClaimBatchDigest(VoucherClaim[] calldata claims) public view returns (bytes32) {
        bytes32[] memory rows = new bytes32[](claims.length);
        for (uint256 i = 0; i < claims.length; i++) {
            Voucher calldata voucher = claims[i].voucher;
            bytes32 id = getChannelId(voucher.channel);
            rows[i] =
                keccak256(abi.encode(ENTRY_TYPEHASH, id, voucher.maxClaimableAmount, claims[i].totalClaimed));
        }
        return typed(keccak256(abi.encode(BATCH_TYPEHASH, keccak256(abi.encodePacked(rows)))));
    }

    /// A total is cumulative, so an old row changes nothing.
    function record(VoucherClaim calldata row) private {
        ChannelConfig calldata config = row.voucher.channel;
        bytes32 id = getChannelId(config);
        Escrow storage escrow = channels[id];
        uint128 before = escrow.totalClaimed;
        if (row.totalClaimed <= before) return;
        if (row.totalClaimed > row.voucher.maxClaimableAmount) revert ClaimExceedsCeiling();
        if (row.totalClaimed > escrow.balance) revert ClaimExceedsBalance();
        bytes32 digest = getVoucherDigest(id, row.voucher.maxClaimableAmount);
        bool isSigned = config.payerAuthorizer == address(0)
            ? SignatureChecker.isValidSignatureNow(config.payer, digest, row.signature)
            : ECDSA.recover(digest, row.signature) == config.payerAuthorizer;
        if (!isSigned) revert InvalidSignature();
        uint128 more = row.totalClaimed - before;
        escrow.totalClaimed = row.totalClaimed;
        receivers[config.receiver][config.token].totalClaimed += more;
        emit Claimed(id, msg.sender, more, row.totalClaimed);
    }

    /// Its nonce is used up even where nothing is left to return.
    function makeRefund(bytes32 id, ChannelConfig calldata config, uint128 amount) private {
        if (amount == 0) revert ZeroRefund();
        refundNonce[id]++;
        uint128 paid = smaller(amount, unclaimed(id));
        if (paid == 0) return;
        Withdrawal storage pending = pendingWithdrawals[id];
        if (paid >= pending.amount) delete pendingWithdrawals[id];
        else pending.amount -= paid;
        emit Refunded(id, msg.sender, paid);
        giveBack(id, config, paid);
    }

    function giveBack(bytes32 id, ChannelConfig calldata config, uint128 amount) private {
        Escrow storage escrow = channels[id];
        escrow.balance -= amount;
        if (escrow.balance == 0 && escrow.totalClaimed == 0) emit ChannelClosed(id, config);
        if (amount > 0) IERC20(config.token).safeTransfer(config.payer, amount);
    }

    function unclaimed(bytes32 id) private view returns (uint128) {
        return channels[id].balance - channels[id].totalClaimed;
    }

    function isReceiverSide(ChannelConfig calldata config) private view returns (bool) {
        return msg.sender == config.receiver || msg.sender == config.receiverAuthorizer;
    }

    function isPayerSide(ChannelConfig calldata config) private view returns (bool) {
        return msg.sender == config.payer || msg.sender == config.payerAuthorizer;
    }

    function typed(bytes32 structHash) private view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                DOMAIN_TYPEHASH, keccak256("x402 Batch Settlement"), keccak256("1"), block.chainid, address(this)
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, structHash));
    }

    function smaller(uint128 a, uint128 b) private pure returns (uint128) {
        return a < b ? a : b;
    }
}
