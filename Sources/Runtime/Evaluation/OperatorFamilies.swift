/// The classes for one operator.
struct BinaryNodeFamily {
  let spilled: SpilledBinaryNode.Type
  let leaf: LeafBinaryNode.Type
  var constant: ConstantBinaryNode.Type?
  var localConstant: LocalConstantBinaryNode.Type?
  var localLocal: LocalLocalBinaryNode.Type?
  var floatConstant: FloatConstantBinaryNode.Type?
  var localFloatConstant: LocalFloatConstantBinaryNode.Type?

  /// The family for a binary message, if it has nodes of its own.
  static func named(_ selector: String) -> BinaryNodeFamily? {
    switch selector {
    case "+":
      BinaryNodeFamily(
        spilled: SpilledAddNode.self, leaf: LeafAddNode.self, constant: ConstantAddNode.self,
        localConstant: LocalConstantAddNode.self, localLocal: LocalLocalAddNode.self,
        floatConstant: FloatConstantAddNode.self,
        localFloatConstant: LocalFloatConstantAddNode.self)
    case "-":
      BinaryNodeFamily(
        spilled: SpilledSubtractNode.self, leaf: LeafSubtractNode.self,
        constant: ConstantSubtractNode.self,
        localConstant: LocalConstantSubtractNode.self, localLocal: LocalLocalSubtractNode.self,
        floatConstant: FloatConstantSubtractNode.self,
        localFloatConstant: LocalFloatConstantSubtractNode.self)
    case "*":
      BinaryNodeFamily(
        spilled: SpilledMultiplyNode.self, leaf: LeafMultiplyNode.self,
        constant: ConstantMultiplyNode.self,
        localConstant: LocalConstantMultiplyNode.self, localLocal: LocalLocalMultiplyNode.self,
        floatConstant: FloatConstantMultiplyNode.self,
        localFloatConstant: LocalFloatConstantMultiplyNode.self)
    case "/": BinaryNodeFamily(spilled: SpilledDivideNode.self, leaf: LeafDivideNode.self)
    case "~/":
      BinaryNodeFamily(spilled: SpilledFloorDivideNode.self, leaf: LeafFloorDivideNode.self)
    case "\\\\": BinaryNodeFamily(spilled: SpilledModuloNode.self, leaf: LeafModuloNode.self)
    case "bitAnd:": BinaryNodeFamily(spilled: SpilledBitAndNode.self, leaf: LeafBitAndNode.self)
    case "bitOr:": BinaryNodeFamily(spilled: SpilledBitOrNode.self, leaf: LeafBitOrNode.self)
    case "bitXor:": BinaryNodeFamily(spilled: SpilledBitXorNode.self, leaf: LeafBitXorNode.self)
    case "bitShift:":
      BinaryNodeFamily(spilled: SpilledBitShiftNode.self, leaf: LeafBitShiftNode.self)
    case "<": BinaryNodeFamily(spilled: SpilledLessNode.self, leaf: LeafLessNode.self)
    case "<=":
      BinaryNodeFamily(spilled: SpilledLessOrEqualNode.self, leaf: LeafLessOrEqualNode.self)
    case ">": BinaryNodeFamily(spilled: SpilledGreaterNode.self, leaf: LeafGreaterNode.self)
    case ">=":
      BinaryNodeFamily(spilled: SpilledGreaterOrEqualNode.self, leaf: LeafGreaterOrEqualNode.self)
    case "=": BinaryNodeFamily(spilled: SpilledEqualNode.self, leaf: LeafEqualNode.self)
    case "~=": BinaryNodeFamily(spilled: SpilledNotEqualNode.self, leaf: LeafNotEqualNode.self)
    default: nil
    }
  }
}

/// The classes for one arithmetic operator fused with an assignment to a local variable.
struct StoreNodeFamily {
  let localConstant: StoreLocalConstantNode.Type
  let localLocal: StoreLocalLocalNode.Type

  /// The family for an operator, if it has nodes of its own.
  static func named(_ selector: String) -> StoreNodeFamily? {
    switch selector {
    case "+":
      StoreNodeFamily(
        localConstant: StoreLocalConstantAddNode.self, localLocal: StoreLocalLocalAddNode.self)
    case "-":
      StoreNodeFamily(
        localConstant: StoreLocalConstantSubtractNode.self,
        localLocal: StoreLocalLocalSubtractNode.self)
    case "*":
      StoreNodeFamily(
        localConstant: StoreLocalConstantMultiplyNode.self,
        localLocal: StoreLocalLocalMultiplyNode.self)
    default: nil
    }
  }
}
