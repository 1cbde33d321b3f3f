/** Written by `npm run contracts` from src/domain/payments/contracts/Channels.sol; not to be edited. */

/** The compiler, and its settings: EVM cancun, optimized for 1000000 runs, no metadata. */
export const SOLC = "0.8.37+commit.f401782d.Emscripten.clang";

export const SOURCE_SHA256 = "4f351304979d2242aceab29124be796ab02fa500614950f4cd371eff2c313bb2";

export const INIT_CODE = "0x6080604052348015600e575f5ffd5b506130408061001c5f395ff3fe608060405234801561000f575f5ffd5b5060043610610149575f3560e01c80639db32a8f116100c7578063dce4bfae1161007d578063e43ce1f211610063578063e43ce1f2146103b2578063e88377b1146103c5578063f0dc792e146103d8575f5ffd5b8063dce4bfae1461038c578063e25cf1891461039f575f5ffd5b8063b77433e9116100ad578063b77433e9146102ea578063b7f06ebe146102fd578063cf5cf3dc14610379575f5ffd5b80639db32a8f146102ce578063ae159439146102e1575f5ffd5b8063488ccc3b1161011c5780637a7ebd7b116101025780637a7ebd7b1461024b578063862bb199146102945780638e4a68ac146102a7575f5ffd5b8063488ccc3b146102175780635e5e0b8714610238575f5ffd5b8063140f1e751461014d5780631fc3277d1461016257806321ff63891461018757806329237b0c14610204575b5f5ffd5b61016061015b366004612953565b6103f7565b005b61016c62278d0081565b60405164ffffffffff90911681526020015b60405180910390f35b6101db6101953660046129c8565b600360209081525f92835260408084209091529082529020546fffffffffffffffffffffffffffffffff8082169170010000000000000000000000000000000090041682565b604080516fffffffffffffffffffffffffffffffff93841681529290911660208301520161017e565b610160610212366004612a3a565b610a1b565b61022a610225366004612a3a565b610b8a565b60405190815260200161017e565b61022a610246366004612a79565b610e75565b6101db610259366004612a93565b5f602081905290815260409020546fffffffffffffffffffffffffffffffff8082169170010000000000000000000000000000000090041682565b61022a6102a2366004612aaa565b610eac565b61022a7f1c9a06ceab9b0ebbd3301dc56c9111bb6d9af421356dc9ccb3b7084c755db30881565b6101606102dc3660046129c8565b610f09565b61016c61038481565b6101606102f8366004612acb565b61113d565b61034b61030b366004612a93565b60016020525f90815260409020546fffffffffffffffffffffffffffffffff811690700100000000000000000000000000000000900464ffffffffff1682565b604080516fffffffffffffffffffffffffffffffff909316835264ffffffffff90911660208301520161017e565b610160610387366004612b1c565b6112c8565b61016061039a366004612b1c565b6115b2565b61022a6103ad366004612b46565b61166c565b6101606103c0366004612b78565b6116d1565b6101606103d3366004612a79565b61191b565b61022a6103e6366004612a93565b60026020525f908152604090205481565b60ff5f5c1615610433576040517fb5dfd9e500000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b60015f805c7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00168217905d505f61046d6020870187612be4565b73ffffffffffffffffffffffffffffffffffffffff1614806104b357505f61049b6060870160408801612be4565b73ffffffffffffffffffffffffffffffffffffffff16145b156104ea576040517fea3a9a3900000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5f6104fb6080870160608801612be4565b73ffffffffffffffffffffffffffffffffffffffff16148061054157505f61052960a0870160808801612be4565b73ffffffffffffffffffffffffffffffffffffffff16145b15610578576040517fea3a9a3900000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5f61058960c0870160a08801612c11565b905061038464ffffffffff821610806105ab575062278d0064ffffffffff8216115b156105e2576040517f4574fab600000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b846fffffffffffffffffffffffffffffffff165f0361062d576040517f56316e8700000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b73ffffffffffffffffffffffffffffffffffffffff841661067a576040517f18b1afd400000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5f61068487610e75565b5f8181526020819052604081208054929350916fffffffffffffffffffffffffffffffff161580156106db5750815470010000000000000000000000000000000090046fffffffffffffffffffffffffffffffff16155b8254909150889083905f906107039084906fffffffffffffffffffffffffffffffff16612c57565b92506101000a8154816fffffffffffffffffffffffffffffffff02191690836fffffffffffffffffffffffffffffffff1602179055505f89608001602081019061074d9190612be4565b6040517f70a082310000000000000000000000000000000000000000000000000000000081523060048201529091505f906fffffffffffffffffffffffffffffffff8b169073ffffffffffffffffffffffffffffffffffffffff8416906370a0823190602401602060405180830381865afa1580156107ce573d5f5f3e3d5ffd5b505050506040513d601f19601f820116820180604052508101906107f29190612c7f565b6107fc9190612c96565b905073ffffffffffffffffffffffffffffffffffffffff891663e416d8d361082760208e018e612be4565b8d608001602081019061083a9190612be4565b8d898d8d6040518763ffffffff1660e01b815260040161085f96959493929190612ca9565b5f604051808303815f87803b158015610876575f5ffd5b505af1158015610888573d5f5f3e3d5ffd5b50506040517f70a0823100000000000000000000000000000000000000000000000000000000815230600482015283925073ffffffffffffffffffffffffffffffffffffffff851691506370a0823190602401602060405180830381865afa1580156108f6573d5f5f3e3d5ffd5b505050506040513d601f19601f8201168201806040525081019061091a9190612c7f565b14610951576040517feb43592c00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b821561099057847f69d8248d5566bdb2ebc4d218970710d8378a2ff9b709a999e052b71970f808fa8c6040516109879190612e2f565b60405180910390a25b8354604080516fffffffffffffffffffffffffffffffff808e1682529092166020830152339187917f6c2a09353b5e75e70d0b9778b80a413809bb235d46c211811c474b3346791d89910160405180910390a3505f9450507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00845c169250839150505d505050505050565b60ff5f5c1615610a57576040517fb5dfd9e500000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b60015f805c7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00168217905d505f819003610abd576040517fc2e5347d00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5f5b81811015610b5d57610af3838383818110610adc57610adc612e3d565b9050602002810190610aee9190612e6a565b611b89565b610b29576040517fdefb706900000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b610b55838383818110610b3e57610b3e612e3d565b9050602002810190610b509190612e6a565b611c12565b600101610abf565b505f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00815c16815d505050565b5f808267ffffffffffffffff811115610ba557610ba5612ea6565b604051908082528060200260200182016040528015610bce578160200160208202803683370190505b5090505f5b83811015610ce95736858583818110610bee57610bee612e3d565b9050602002810190610c009190612e6a565b90505f610c0c82610e75565b90507f30b9a0367528fca13c3e8ec6134c3113f1887ebe7a1ad61de0955aac288b0cf581610c41610100850160e08601612ed3565b898987818110610c5357610c53612e3d565b9050602002810190610c659190612e6a565b610c789061014081019061012001612ed3565b6040805160208101959095528401929092526fffffffffffffffffffffffffffffffff908116606084015216608082015260a00160405160208183030381529060405280519060200120848481518110610cd457610cd4612e3d565b60209081029190910101525050600101610bd3565b50610e6b7f42bd57c010b870c2e96203c66341f28a6a19b4d56a74533a8eb5f706b9fd6d5782604051602001610d1f9190612eec565b60405160208183030381529060405280519060200120604051602001610d4f929190918252602082015260400190565b604080517fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe081840301815282825280516020918201207f8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f848301527fe03c502b9066cc6f23a8f0f48ed32cb7d506f9f0a2d0055449f256846a770e9a848401527fc89efdaa54c0f20c7adf612882df0950f5a951637e0307cdcb4c672f298b8bc660608501524660808501523060a0808601919091528351808603909101815260c0850184528051908301207f190100000000000000000000000000000000000000000000000000000000000060e086015260e28501526101028085019190915282518085039091018152610122909301909152815191012090565b9150505b92915050565b5f610e6f7f1c9a06ceab9b0ebbd3301dc56c9111bb6d9af421356dc9ccb3b7084c755db30883604051602001610d4f929190612f21565b604080517f1e1bd6ff84c3e0d9029a292b212e039c0ca97ec497c55191a4a5874294609a6960208201529081018390526fffffffffffffffffffffffffffffffff821660608201525f90610f0290608001610d4f565b9392505050565b60ff5f5c1615610f45576040517fb5dfd9e500000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b60015f805c7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00168217905d5073ffffffffffffffffffffffffffffffffffffffff8083165f90815260036020908152604080832093851683529290529081208054909190610fdb906fffffffffffffffffffffffffffffffff700100000000000000000000000000000000820481169116612f36565b9050806fffffffffffffffffffffffffffffffff165f03610ffd575050611111565b81548190839060109061103790849070010000000000000000000000000000000090046fffffffffffffffffffffffffffffffff16612c57565b92506101000a8154816fffffffffffffffffffffffffffffffff02191690836fffffffffffffffffffffffffffffffff1602179055506110aa84826fffffffffffffffffffffffffffffffff168573ffffffffffffffffffffffffffffffffffffffff166120889092919063ffffffff16565b6040516fffffffffffffffffffffffffffffffff82168152339073ffffffffffffffffffffffffffffffffffffffff85811691908716907f7337b4386b690fdb8ba66905b92b9d45d33bc6626ee2620c905fb150ec0cc47d9060200160405180910390a450505b5f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00815c16815d505050565b60ff5f5c1615611179576040517fb5dfd9e500000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b60015f805c7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00168217905d505f6111af86610e75565b5f8181526002602052604090205490915084146111f8576040517f164f1afe00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5f61120482868861166c565b90506112556112196080890160608a01612be4565b8286868080601f0160208091040260200160405190810160405280939291908181526020018383808284375f920191909152506120ed92505050565b61128b576040517f8baa579f00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b611296828888612184565b505f90507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00815c16815d505050505050565b60ff5f5c1615611304576040517fb5dfd9e500000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b60015f805c7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00168217905d5061133982612336565b61136f576040517fea3a9a3900000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b806fffffffffffffffffffffffffffffffff165f036113ba576040517fd0d04f6000000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5f6113c483610e75565b5f818152600160205260409020805491925090700100000000000000000000000000000000900464ffffffffff1615611429576040517fa2aed0f000000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b61143282612388565b6fffffffffffffffffffffffffffffffff16836fffffffffffffffffffffffffffffffff16111561148f576040517f6d3d576400000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b6040805180820182526fffffffffffffffffffffffffffffffff808616825264ffffffffff42811660208085019182525f888152600190915294909420925183549451909116700100000000000000000000000000000000027fffffffffffffffffffffff000000000000000000000000000000000000000000909416911617919091179055817fe4280d0d903c7f258f62b07c62f262377cbaa23f7791d78126e6446e0f0e3c238461154860c0880160a08901612c11565b6115529042612f5e565b604080516fffffffffffffffffffffffffffffffff909316835264ffffffffff90911660208301520160405180910390a2505f90507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00815c16815d505050565b60ff5f5c16156115ee576040517fb5dfd9e500000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b60015f805c7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00168217905d5061162382611b89565b611659576040517f7864f00800000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b61111161166583610e75565b8383612184565b604080517fbe23ad087435072cd69b49cc5b92de10ee610fce7ae0ab428307972d764bb2166020820152908101849052606081018390526fffffffffffffffffffffffffffffffff821660808201525f906116c99060a001610d4f565b949350505050565b60ff5f5c161561170d576040517fb5dfd9e500000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b60015f805c7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00168217905d505f839003611773576040517fc2e5347d00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5f84845f81811061178657611786612e3d565b90506020028101906117989190612e6a565b6117a9906080810190606001612be4565b90506117f4816117b98787610b8a565b85858080601f0160208091040260200160405190810160405280939291908181526020018383808284375f920191909152506120ed92505050565b61182a576040517f8baa579f00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5f5b848110156118ea578173ffffffffffffffffffffffffffffffffffffffff1686868381811061185d5761185d612e3d565b905060200281019061186f9190612e6a565b611880906080810190606001612be4565b73ffffffffffffffffffffffffffffffffffffffff16146118cd576040517ff5e2237d00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b6118e2868683818110610b3e57610b3e612e3d565b60010161182c565b505f90507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00815c16815d5050505050565b60ff5f5c1615611957576040517fb5dfd9e500000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b60015f805c7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00168217905d5061198c81612336565b6119c2576040517f15f969d500000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5f6119cc82610e75565b5f8181526001602090815260408083208151808301909252546fffffffffffffffffffffffffffffffff81168252700100000000000000000000000000000000900464ffffffffff169181018290529293509003611a56576040517f3a0a1ca600000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b611a6660c0840160a08501612c11565b64ffffffffff16816020015164ffffffffff16611a839190612c96565b421015611abc576040517ff396582700000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5f82815260016020526040812080547fffffffffffffffffffffff0000000000000000000000000000000000000000001690558151611b0390611afe85612388565b6123c8565b6040516fffffffffffffffffffffffffffffffff82168152909150339084907f546ce1e2242cd930c196bd08b894443562d709b4fffe4f028a75a6d233efc6e39060200160405180910390a3611b5a838583612401565b505f9150507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00815c16815d5050565b5f611b9a6060830160408401612be4565b73ffffffffffffffffffffffffffffffffffffffff163373ffffffffffffffffffffffffffffffffffffffff161480610e6f5750611bde6080830160608401612be4565b73ffffffffffffffffffffffffffffffffffffffff163373ffffffffffffffffffffffffffffffffffffffff161492915050565b805f611c1d82610e75565b5f81815260208190526040902080549192509070010000000000000000000000000000000090046fffffffffffffffffffffffffffffffff1680611c6961014087016101208801612ed3565b6fffffffffffffffffffffffffffffffff1611611c87575050505050565b611c98610100860160e08701612ed3565b6fffffffffffffffffffffffffffffffff16611cbc61014087016101208801612ed3565b6fffffffffffffffffffffffffffffffff161115611d06576040517ff178977500000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b81546fffffffffffffffffffffffffffffffff16611d2c61014087016101208801612ed3565b6fffffffffffffffffffffffffffffffff161115611d76576040517f7d8242b600000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5f611d8c846102a2610100890160e08a01612ed3565b90505f80611da06040880160208901612be4565b73ffffffffffffffffffffffffffffffffffffffff1614611e4857611dcb6040870160208801612be4565b73ffffffffffffffffffffffffffffffffffffffff16611e2c83611df36101008b018b612f7b565b8080601f0160208091040260200160405190810160405280939291908181526020018383808284375f9201919091525061254092505050565b73ffffffffffffffffffffffffffffffffffffffff1614611ea0565b611ea0611e586020880188612be4565b83611e676101008b018b612f7b565b8080601f0160208091040260200160405190810160405280939291908181526020018383808284375f920191909152506120ed92505050565b905080611ed9576040517f8baa579f00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5f83611eed6101408a016101208b01612ed3565b611ef79190612f36565b9050611f0b61014089016101208a01612ed3565b85546fffffffffffffffffffffffffffffffff9182167001000000000000000000000000000000000291161785558060035f611f4d60608b0160408c01612be4565b73ffffffffffffffffffffffffffffffffffffffff16815260208101919091526040015f90812090611f8560a08b0160808c01612be4565b73ffffffffffffffffffffffffffffffffffffffff16815260208101919091526040015f9081208054909190611fce9084906fffffffffffffffffffffffffffffffff16612c57565b92506101000a8154816fffffffffffffffffffffffffffffffff02191690836fffffffffffffffffffffffffffffffff1602179055503373ffffffffffffffffffffffffffffffffffffffff16867f36bd546bb573e8921fdbfd934bbed62d872796b01792cd240cce27f79dd3eddd838b6101200160208101906120529190612ed3565b604080516fffffffffffffffffffffffffffffffff93841681529290911660208301520160405180910390a35050505050505050565b6120958383836001612568565b6120e8576040517f5274afe700000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff841660048201526024015b60405180910390fd5b505050565b5f8373ffffffffffffffffffffffffffffffffffffffff163b5f03612172575f5f61211885856125f0565b5090925090505f81600381111561213157612131612fdc565b14801561216957508573ffffffffffffffffffffffffffffffffffffffff168273ffffffffffffffffffffffffffffffffffffffff16145b92505050610f02565b61217d848484612639565b9050610f02565b806fffffffffffffffffffffffffffffffff165f036121cf576040517fd758525c00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5f8381526002602052604081208054916121e883613009565b91905055505f6121fb82611afe86612388565b9050806fffffffffffffffffffffffffffffffff165f0361221c5750505050565b5f84815260016020526040902080546fffffffffffffffffffffffffffffffff9081169083161061227f575f85815260016020526040902080547fffffffffffffffffffffff0000000000000000000000000000000000000000001690556122db565b8054829082905f906122a49084906fffffffffffffffffffffffffffffffff16612f36565b92506101000a8154816fffffffffffffffffffffffffffffffff02191690836fffffffffffffffffffffffffffffffff1602179055505b6040516fffffffffffffffffffffffffffffffff83168152339086907fa84286cf8ebc7903a663c77c8d99aa92b600d4c2fcca872a5d4a663db4eb394b9060200160405180910390a361232f858584612401565b5050505050565b5f6123446020830183612be4565b73ffffffffffffffffffffffffffffffffffffffff163373ffffffffffffffffffffffffffffffffffffffff161480610e6f5750611bde6040830160208401612be4565b5f81815260208190526040812054610e6f906fffffffffffffffffffffffffffffffff700100000000000000000000000000000000820481169116612f36565b5f816fffffffffffffffffffffffffffffffff16836fffffffffffffffffffffffffffffffff16106123fa5781610f02565b5090919050565b5f8381526020819052604081208054909183918391906124349084906fffffffffffffffffffffffffffffffff16612f36565b82546101009290920a6fffffffffffffffffffffffffffffffff81810219909316918316021790915582541615905080156124945750805470010000000000000000000000000000000090046fffffffffffffffffffffffffffffffff16155b156124d257837f8d5942f197f362dfd44dfdc1b0b7a9721c9151b67f55817c83349271d3c08d37846040516124c99190612e2f565b60405180910390a25b6fffffffffffffffffffffffffffffffff82161561253a5761253a6124fa6020850185612be4565b6fffffffffffffffffffffffffffffffff841661251d60a0870160808801612be4565b73ffffffffffffffffffffffffffffffffffffffff169190612088565b50505050565b5f5f5f5f61254e86866125f0565b92509250925061255e82826126b7565b5090949350505050565b6040517fa9059cbb000000000000000000000000000000000000000000000000000000005f81815273ffffffffffffffffffffffffffffffffffffffff8616600452602485905291602083604481808b5af1925060015f511483166125e45783831516156125d8573d5f823e3d81fd5b5f873b113d1516831692505b60405250949350505050565b5f5f5f8351604103612627576020840151604085015160608601515f1a612619888285856127be565b955095509550505050612632565b505081515f91506002905b9250925092565b8051604080517f1626ba7e000000000000000000000000000000000000000000000000000000008082526004820186905260248201929092525f92906020820185604483015e5f82606483010152601f820160051c60051b915060205f60648401838a5afa9050825f5114601f3d1116811693505050509392505050565b5f8260038111156126ca576126ca612fdc565b036126d3575050565b60018260038111156126e7576126e7612fdc565b0361271e576040517ff645eedf00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b600282600381111561273257612732612fdc565b0361276c576040517ffce698f7000000000000000000000000000000000000000000000000000000008152600481018290526024016120df565b600382600381111561278057612780612fdc565b036127ba576040517fd78bce0c000000000000000000000000000000000000000000000000000000008152600481018290526024016120df565b5050565b5f80807f7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a08411156127f757505f915060039050826128a7565b604080515f808252602082018084528a905260ff891692820192909252606081018790526080810186905260019060a0016020604051602081039080840390855afa158015612848573d5f5f3e3d5ffd5b50506040517fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0015191505073ffffffffffffffffffffffffffffffffffffffff811661289e57505f9250600191508290506128a7565b92505f91508190505b9450945094915050565b5f60e082840312156128c1575f5ffd5b50919050565b80356fffffffffffffffffffffffffffffffff811681146128e6575f5ffd5b919050565b803573ffffffffffffffffffffffffffffffffffffffff811681146128e6575f5ffd5b5f5f83601f84011261291e575f5ffd5b50813567ffffffffffffffff811115612935575f5ffd5b60208301915083602082850101111561294c575f5ffd5b9250929050565b5f5f5f5f5f6101408688031215612968575f5ffd5b61297287876128b1565b945061298060e087016128c7565b935061298f61010087016128eb565b925061012086013567ffffffffffffffff8111156129ab575f5ffd5b6129b78882890161290e565b969995985093965092949392505050565b5f5f604083850312156129d9575f5ffd5b6129e2836128eb565b91506129f0602084016128eb565b90509250929050565b5f5f83601f840112612a09575f5ffd5b50813567ffffffffffffffff811115612a20575f5ffd5b6020830191508360208260051b850101111561294c575f5ffd5b5f5f60208385031215612a4b575f5ffd5b823567ffffffffffffffff811115612a61575f5ffd5b612a6d858286016129f9565b90969095509350505050565b5f60e08284031215612a89575f5ffd5b610f0283836128b1565b5f60208284031215612aa3575f5ffd5b5035919050565b5f5f60408385031215612abb575f5ffd5b823591506129f0602084016128c7565b5f5f5f5f5f6101408688031215612ae0575f5ffd5b612aea87876128b1565b9450612af860e087016128c7565b9350610100860135925061012086013567ffffffffffffffff8111156129ab575f5ffd5b5f5f6101008385031215612b2e575f5ffd5b612b3884846128b1565b91506129f060e084016128c7565b5f5f5f60608486031215612b58575f5ffd5b8335925060208401359150612b6f604085016128c7565b90509250925092565b5f5f5f5f60408587031215612b8b575f5ffd5b843567ffffffffffffffff811115612ba1575f5ffd5b612bad878288016129f9565b909550935050602085013567ffffffffffffffff811115612bcc575f5ffd5b612bd88782880161290e565b95989497509550505050565b5f60208284031215612bf4575f5ffd5b610f02826128eb565b803564ffffffffff811681146128e6575f5ffd5b5f60208284031215612c21575f5ffd5b610f0282612bfd565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b6fffffffffffffffffffffffffffffffff8181168382160190811115610e6f57610e6f612c2a565b5f60208284031215612c8f575f5ffd5b5051919050565b80820180821115610e6f57610e6f612c2a565b73ffffffffffffffffffffffffffffffffffffffff8716815273ffffffffffffffffffffffffffffffffffffffff861660208201526fffffffffffffffffffffffffffffffff8516604082015283606082015260a060808201528160a0820152818360c08301375f81830160c090810191909152601f9092017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe016010195945050505050565b73ffffffffffffffffffffffffffffffffffffffff612d6d826128eb565b16825273ffffffffffffffffffffffffffffffffffffffff612d91602083016128eb565b16602083015273ffffffffffffffffffffffffffffffffffffffff612db8604083016128eb565b16604083015273ffffffffffffffffffffffffffffffffffffffff612ddf606083016128eb565b16606083015273ffffffffffffffffffffffffffffffffffffffff612e06608083016128eb565b166080830152612e1860a08201612bfd565b64ffffffffff1660a083015260c090810135910152565b60e08101610e6f8284612d4f565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b5f82357ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffec1833603018112612e9c575f5ffd5b9190910192915050565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b5f60208284031215612ee3575f5ffd5b610f02826128c7565b81515f90829060208501835b82811015612f16578151845260209384019390910190600101612ef8565b509195945050505050565b8281526101008101610f026020830184612d4f565b6fffffffffffffffffffffffffffffffff8281168282160390811115610e6f57610e6f612c2a565b64ffffffffff8181168382160190811115610e6f57610e6f612c2a565b5f5f83357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe1843603018112612fae575f5ffd5b83018035915067ffffffffffffffff821115612fc8575f5ffd5b60200191503681900382131561294c575f5ffd5b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602160045260245ffd5b5f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff820361303957613039612c2a565b506001019056";

export const ABI = [
  {
    "inputs": [],
    "name": "ClaimExceedsBalance",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "ClaimExceedsCeiling",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "DepositCollectionFailed",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "ECDSAInvalidSignature",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "length",
        "type": "uint256"
      }
    ],
    "name": "ECDSAInvalidSignatureLength",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "s",
        "type": "bytes32"
      }
    ],
    "name": "ECDSAInvalidSignatureS",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "EmptyBatch",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "InvalidChannel",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "InvalidCollector",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "InvalidRefundNonce",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "InvalidSignature",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "NotAuthorizedToClaim",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "NotAuthorizedToFinalizeWithdraw",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "NotAuthorizedToRefund",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "NotReceiverAuthorizer",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "NothingToWithdraw",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "Reentered",
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
    "inputs": [],
    "name": "WithdrawAmountExceedsAvailable",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "WithdrawDelayNotElapsed",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "WithdrawDelayOutOfRange",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "WithdrawalAlreadyPending",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "WithdrawalNotPending",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "ZeroDeposit",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "ZeroRefund",
    "type": "error"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "channelId",
        "type": "bytes32"
      },
      {
        "components": [
          {
            "internalType": "address",
            "name": "payer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "payerAuthorizer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "receiver",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "receiverAuthorizer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "token",
            "type": "address"
          },
          {
            "internalType": "uint40",
            "name": "withdrawDelay",
            "type": "uint40"
          },
          {
            "internalType": "bytes32",
            "name": "salt",
            "type": "bytes32"
          }
        ],
        "indexed": false,
        "internalType": "struct Channels.ChannelConfig",
        "name": "config",
        "type": "tuple"
      }
    ],
    "name": "ChannelClosed",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "channelId",
        "type": "bytes32"
      },
      {
        "components": [
          {
            "internalType": "address",
            "name": "payer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "payerAuthorizer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "receiver",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "receiverAuthorizer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "token",
            "type": "address"
          },
          {
            "internalType": "uint40",
            "name": "withdrawDelay",
            "type": "uint40"
          },
          {
            "internalType": "bytes32",
            "name": "salt",
            "type": "bytes32"
          }
        ],
        "indexed": false,
        "internalType": "struct Channels.ChannelConfig",
        "name": "config",
        "type": "tuple"
      }
    ],
    "name": "ChannelCreated",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "channelId",
        "type": "bytes32"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "sender",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint128",
        "name": "claimAmount",
        "type": "uint128"
      },
      {
        "indexed": false,
        "internalType": "uint128",
        "name": "newTotalClaimed",
        "type": "uint128"
      }
    ],
    "name": "Claimed",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "channelId",
        "type": "bytes32"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "sender",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint128",
        "name": "amount",
        "type": "uint128"
      },
      {
        "indexed": false,
        "internalType": "uint128",
        "name": "newBalance",
        "type": "uint128"
      }
    ],
    "name": "Deposited",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "channelId",
        "type": "bytes32"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "sender",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint128",
        "name": "amount",
        "type": "uint128"
      }
    ],
    "name": "Refunded",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "receiver",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "token",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "sender",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint128",
        "name": "amount",
        "type": "uint128"
      }
    ],
    "name": "Settled",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "channelId",
        "type": "bytes32"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "sender",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint128",
        "name": "amount",
        "type": "uint128"
      }
    ],
    "name": "WithdrawFinalized",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "channelId",
        "type": "bytes32"
      },
      {
        "indexed": false,
        "internalType": "uint128",
        "name": "amount",
        "type": "uint128"
      },
      {
        "indexed": false,
        "internalType": "uint40",
        "name": "finalizeAfter",
        "type": "uint40"
      }
    ],
    "name": "WithdrawInitiated",
    "type": "event"
  },
  {
    "inputs": [],
    "name": "CHANNEL_CONFIG_TYPEHASH",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "",
        "type": "bytes32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "MAX_WITHDRAW_DELAY",
    "outputs": [
      {
        "internalType": "uint40",
        "name": "",
        "type": "uint40"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "MIN_WITHDRAW_DELAY",
    "outputs": [
      {
        "internalType": "uint40",
        "name": "",
        "type": "uint40"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "channelId",
        "type": "bytes32"
      }
    ],
    "name": "channels",
    "outputs": [
      {
        "internalType": "uint128",
        "name": "balance",
        "type": "uint128"
      },
      {
        "internalType": "uint128",
        "name": "totalClaimed",
        "type": "uint128"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "components": [
              {
                "components": [
                  {
                    "internalType": "address",
                    "name": "payer",
                    "type": "address"
                  },
                  {
                    "internalType": "address",
                    "name": "payerAuthorizer",
                    "type": "address"
                  },
                  {
                    "internalType": "address",
                    "name": "receiver",
                    "type": "address"
                  },
                  {
                    "internalType": "address",
                    "name": "receiverAuthorizer",
                    "type": "address"
                  },
                  {
                    "internalType": "address",
                    "name": "token",
                    "type": "address"
                  },
                  {
                    "internalType": "uint40",
                    "name": "withdrawDelay",
                    "type": "uint40"
                  },
                  {
                    "internalType": "bytes32",
                    "name": "salt",
                    "type": "bytes32"
                  }
                ],
                "internalType": "struct Channels.ChannelConfig",
                "name": "channel",
                "type": "tuple"
              },
              {
                "internalType": "uint128",
                "name": "maxClaimableAmount",
                "type": "uint128"
              }
            ],
            "internalType": "struct Channels.Voucher",
            "name": "voucher",
            "type": "tuple"
          },
          {
            "internalType": "bytes",
            "name": "signature",
            "type": "bytes"
          },
          {
            "internalType": "uint128",
            "name": "totalClaimed",
            "type": "uint128"
          }
        ],
        "internalType": "struct Channels.VoucherClaim[]",
        "name": "claims",
        "type": "tuple[]"
      }
    ],
    "name": "claim",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "components": [
              {
                "components": [
                  {
                    "internalType": "address",
                    "name": "payer",
                    "type": "address"
                  },
                  {
                    "internalType": "address",
                    "name": "payerAuthorizer",
                    "type": "address"
                  },
                  {
                    "internalType": "address",
                    "name": "receiver",
                    "type": "address"
                  },
                  {
                    "internalType": "address",
                    "name": "receiverAuthorizer",
                    "type": "address"
                  },
                  {
                    "internalType": "address",
                    "name": "token",
                    "type": "address"
                  },
                  {
                    "internalType": "uint40",
                    "name": "withdrawDelay",
                    "type": "uint40"
                  },
                  {
                    "internalType": "bytes32",
                    "name": "salt",
                    "type": "bytes32"
                  }
                ],
                "internalType": "struct Channels.ChannelConfig",
                "name": "channel",
                "type": "tuple"
              },
              {
                "internalType": "uint128",
                "name": "maxClaimableAmount",
                "type": "uint128"
              }
            ],
            "internalType": "struct Channels.Voucher",
            "name": "voucher",
            "type": "tuple"
          },
          {
            "internalType": "bytes",
            "name": "signature",
            "type": "bytes"
          },
          {
            "internalType": "uint128",
            "name": "totalClaimed",
            "type": "uint128"
          }
        ],
        "internalType": "struct Channels.VoucherClaim[]",
        "name": "claims",
        "type": "tuple[]"
      },
      {
        "internalType": "bytes",
        "name": "signature",
        "type": "bytes"
      }
    ],
    "name": "claimWithSignature",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "internalType": "address",
            "name": "payer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "payerAuthorizer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "receiver",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "receiverAuthorizer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "token",
            "type": "address"
          },
          {
            "internalType": "uint40",
            "name": "withdrawDelay",
            "type": "uint40"
          },
          {
            "internalType": "bytes32",
            "name": "salt",
            "type": "bytes32"
          }
        ],
        "internalType": "struct Channels.ChannelConfig",
        "name": "config",
        "type": "tuple"
      },
      {
        "internalType": "uint128",
        "name": "amount",
        "type": "uint128"
      },
      {
        "internalType": "address",
        "name": "collector",
        "type": "address"
      },
      {
        "internalType": "bytes",
        "name": "collectorData",
        "type": "bytes"
      }
    ],
    "name": "deposit",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "internalType": "address",
            "name": "payer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "payerAuthorizer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "receiver",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "receiverAuthorizer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "token",
            "type": "address"
          },
          {
            "internalType": "uint40",
            "name": "withdrawDelay",
            "type": "uint40"
          },
          {
            "internalType": "bytes32",
            "name": "salt",
            "type": "bytes32"
          }
        ],
        "internalType": "struct Channels.ChannelConfig",
        "name": "config",
        "type": "tuple"
      }
    ],
    "name": "finalizeWithdraw",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "internalType": "address",
            "name": "payer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "payerAuthorizer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "receiver",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "receiverAuthorizer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "token",
            "type": "address"
          },
          {
            "internalType": "uint40",
            "name": "withdrawDelay",
            "type": "uint40"
          },
          {
            "internalType": "bytes32",
            "name": "salt",
            "type": "bytes32"
          }
        ],
        "internalType": "struct Channels.ChannelConfig",
        "name": "config",
        "type": "tuple"
      }
    ],
    "name": "getChannelId",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "",
        "type": "bytes32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "components": [
              {
                "components": [
                  {
                    "internalType": "address",
                    "name": "payer",
                    "type": "address"
                  },
                  {
                    "internalType": "address",
                    "name": "payerAuthorizer",
                    "type": "address"
                  },
                  {
                    "internalType": "address",
                    "name": "receiver",
                    "type": "address"
                  },
                  {
                    "internalType": "address",
                    "name": "receiverAuthorizer",
                    "type": "address"
                  },
                  {
                    "internalType": "address",
                    "name": "token",
                    "type": "address"
                  },
                  {
                    "internalType": "uint40",
                    "name": "withdrawDelay",
                    "type": "uint40"
                  },
                  {
                    "internalType": "bytes32",
                    "name": "salt",
                    "type": "bytes32"
                  }
                ],
                "internalType": "struct Channels.ChannelConfig",
                "name": "channel",
                "type": "tuple"
              },
              {
                "internalType": "uint128",
                "name": "maxClaimableAmount",
                "type": "uint128"
              }
            ],
            "internalType": "struct Channels.Voucher",
            "name": "voucher",
            "type": "tuple"
          },
          {
            "internalType": "bytes",
            "name": "signature",
            "type": "bytes"
          },
          {
            "internalType": "uint128",
            "name": "totalClaimed",
            "type": "uint128"
          }
        ],
        "internalType": "struct Channels.VoucherClaim[]",
        "name": "claims",
        "type": "tuple[]"
      }
    ],
    "name": "getClaimBatchDigest",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "",
        "type": "bytes32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "channelId",
        "type": "bytes32"
      },
      {
        "internalType": "uint256",
        "name": "nonce",
        "type": "uint256"
      },
      {
        "internalType": "uint128",
        "name": "amount",
        "type": "uint128"
      }
    ],
    "name": "getRefundDigest",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "",
        "type": "bytes32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "channelId",
        "type": "bytes32"
      },
      {
        "internalType": "uint128",
        "name": "maxClaimableAmount",
        "type": "uint128"
      }
    ],
    "name": "getVoucherDigest",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "",
        "type": "bytes32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "internalType": "address",
            "name": "payer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "payerAuthorizer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "receiver",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "receiverAuthorizer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "token",
            "type": "address"
          },
          {
            "internalType": "uint40",
            "name": "withdrawDelay",
            "type": "uint40"
          },
          {
            "internalType": "bytes32",
            "name": "salt",
            "type": "bytes32"
          }
        ],
        "internalType": "struct Channels.ChannelConfig",
        "name": "config",
        "type": "tuple"
      },
      {
        "internalType": "uint128",
        "name": "amount",
        "type": "uint128"
      }
    ],
    "name": "initiateWithdraw",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "channelId",
        "type": "bytes32"
      }
    ],
    "name": "pendingWithdrawals",
    "outputs": [
      {
        "internalType": "uint128",
        "name": "amount",
        "type": "uint128"
      },
      {
        "internalType": "uint40",
        "name": "initiatedAt",
        "type": "uint40"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "receiver",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "token",
        "type": "address"
      }
    ],
    "name": "receivers",
    "outputs": [
      {
        "internalType": "uint128",
        "name": "totalClaimed",
        "type": "uint128"
      },
      {
        "internalType": "uint128",
        "name": "totalSettled",
        "type": "uint128"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "internalType": "address",
            "name": "payer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "payerAuthorizer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "receiver",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "receiverAuthorizer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "token",
            "type": "address"
          },
          {
            "internalType": "uint40",
            "name": "withdrawDelay",
            "type": "uint40"
          },
          {
            "internalType": "bytes32",
            "name": "salt",
            "type": "bytes32"
          }
        ],
        "internalType": "struct Channels.ChannelConfig",
        "name": "config",
        "type": "tuple"
      },
      {
        "internalType": "uint128",
        "name": "amount",
        "type": "uint128"
      }
    ],
    "name": "refund",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "channelId",
        "type": "bytes32"
      }
    ],
    "name": "refundNonce",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "internalType": "address",
            "name": "payer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "payerAuthorizer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "receiver",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "receiverAuthorizer",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "token",
            "type": "address"
          },
          {
            "internalType": "uint40",
            "name": "withdrawDelay",
            "type": "uint40"
          },
          {
            "internalType": "bytes32",
            "name": "salt",
            "type": "bytes32"
          }
        ],
        "internalType": "struct Channels.ChannelConfig",
        "name": "config",
        "type": "tuple"
      },
      {
        "internalType": "uint128",
        "name": "amount",
        "type": "uint128"
      },
      {
        "internalType": "uint256",
        "name": "nonce",
        "type": "uint256"
      },
      {
        "internalType": "bytes",
        "name": "signature",
        "type": "bytes"
      }
    ],
    "name": "refundWithSignature",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "receiver",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "token",
        "type": "address"
      }
    ],
    "name": "settle",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  }
] as const;
