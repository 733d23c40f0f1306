// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/llvm/stack_maps.h"
#include "abi/unfinished.h"
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/CodeGen/AsmPrinter.h>
#include <llvm/CodeGen/GCMetadataPrinter.h>
#include <llvm/CodeGen/StackMaps.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/GCStrategy.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCExpr.h>
#include <llvm/MC/MCSectionELF.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSymbolELF.h>
#include <llvm/Support/CommandLine.h>

using namespace llvm;

struct wm_shim_table {
	MCStreamer &out;
	ArrayRef<const MCSymbol *> address;
	MCSymbol *end;
};

namespace
{
enum { FIRST_VALUE = 3 }; // after the calling convention, flags and the number of values

struct Strategy : GCStrategy {
	Strategy()
	{
		UsesMetadata = true;
	}
};

// LLVM writes the constants of more than 32 bits to its own table, and tells them nobody else.  An explicit instantiation may name
// what is private.
StackMaps::ConstantPool &large_constants(StackMaps &maps);
template <StackMaps::ConstantPool StackMaps::*member> struct LargeConstants {
	friend StackMaps::ConstantPool &large_constants(StackMaps &maps)
	{
		return maps.*member;
	}
};
template struct LargeConstants<&StackMaps::ConstPool>;

wm_shim_value value_of(StackMaps &maps, const StackMaps::Location &at)
{
	wm_shim_value value = {WM_SHIM_ELSEWHERE, at.Size, at.Reg, at.Offset};
	if (at.Type == StackMaps::Location::Constant || at.Type == StackMaps::Location::ConstantIndex)
		value.place = WM_SHIM_CONSTANT;
	if (at.Type == StackMaps::Location::ConstantIndex)
		value.displacement = (int64_t)(large_constants(maps).begin() + at.Offset)->second;
	else if (at.Type == StackMaps::Location::Register)
		value.place = WM_SHIM_REGISTER;
	else if (at.Type == StackMaps::Location::Indirect)
		value.place = WM_SHIM_MEMORY;
	return value;
}

const MCSymbol *label_of(const StackMaps::CallsiteInfo &site)
{
	return &cast<MCSymbolRefExpr>(cast<MCBinaryExpr>(site.CSOffsetExpr)->getLHS())->getSymbol();
}

struct Printer : GCMetadataPrinter {
	DenseMap<const MCSection *, const MCSymbol *> linked;

	void switch_section(AsmPrinter &printer, const MCSymbol *label)
	{
		auto &code = cast<MCSectionELF>(label->getSection());
		const MCSymbol *link = linked.try_emplace(&code, label).first->second;
		unsigned flags = ELF::SHF_ALLOC | ELF::SHF_LINK_ORDER | (code.getGroup() ? ELF::SHF_GROUP : 0);
		printer.OutStreamer->switchSection(printer.OutContext.getELFSection(WM_SITES_SECTION, ELF::SHT_PROGBITS,
			flags, 0, code.getGroup() ? code.getGroup()->getName() : StringRef(), code.isComdat(),
			MCSection::NonUniqueID, cast<MCSymbolELF>(link)));
		printer.OutStreamer->emitValueToAlignment(Align(8));
	}

	void print(StackMaps &maps, AsmPrinter &printer, ArrayRef<StackMaps::CallsiteInfo> sites)
	{
		SmallVector<const MCSymbol *, 64> address;
		SmallVector<SmallVector<wm_shim_value, 8>, 64> values;
		SmallVector<wm_shim_return, 64> returns;
		for (auto &site : sites) {
			address.push_back(label_of(site));
			auto &own = values.emplace_back();
			size_t count = FIRST_VALUE + (size_t)site.Locations[FIRST_VALUE - 1].Offset;
			for (size_t i = FIRST_VALUE; i < count; i++)
				own.push_back(value_of(maps, site.Locations[i]));
		}
		for (size_t i = 0; i < values.size(); i++)
			returns.push_back({values[i].size(), values[i].data(), i});
		switch_section(printer, address[0]);
		wm_shim_table table{*printer.OutStreamer, address, printer.OutContext.createTempSymbol()};
		wm_plugin_print_sites(&table, returns.data(), returns.size());
		printer.OutStreamer->emitValueToAlignment(Align(8));
		printer.OutStreamer->emitLabel(table.end);
	}

	bool emitStackMaps(StackMaps &maps, AsmPrinter &printer) override
	{
		ArrayRef<StackMaps::CallsiteInfo> all = maps.getCSInfos();
		for (auto &function : maps.getFnInfos()) {
			ArrayRef<StackMaps::CallsiteInfo> rest = all.take_front(function.second.RecordCount);
			all = all.drop_front(function.second.RecordCount);
			while (!rest.empty()) { // parts of a function may be in sections of their own
				size_t count = 1;
				while (count < rest.size() &&
					&label_of(rest[count])->getSection() == &label_of(rest[0])->getSection())
					count++;
				print(maps, printer, rest.take_front(count));
				rest = rest.drop_front(count);
			}
		}
		maps.reset();
		return true;
	}
};

GCRegistry::Add<Strategy> strategy(WM_STRATEGY_NAME, "where unfinished paths stand");
GCMetadataPrinterRegistry::Add<Printer> printer(WM_STRATEGY_NAME, "where unfinished paths stand");
} // namespace

LLVMValueRef wm_shim_add_deopt(LLVMValueRef call, LLVMValueRef *value, size_t count)
{
	auto *old = cast<CallBase>(unwrap(call));
	SmallVector<Value *, 8> values;
	for (size_t i = 0; i < count; i++)
		values.push_back(unwrap(value[i]));
	CallBase *made = CallBase::addOperandBundle(
		old, LLVMContext::OB_deopt, OperandBundleDef("deopt", values), old->getIterator());
	made->takeName(old);
	made->copyMetadata(*old);
	made->setDebugLoc(old->getDebugLoc());
	old->replaceAllUsesWith(made);
	old->eraseFromParent();
	return wrap(made);
}

void wm_shim_describe_resume(LLVMValueRef resume, LLVMValueRef *value, size_t count)
{
	auto *at = cast<ResumeInst>(unwrap(resume));
	Module *module = at->getModule();
	auto callee = module->getOrInsertFunction(WM_RESUME_NAME, Type::getVoidTy(module->getContext()));
	auto *function = cast<Function>(callee.getCallee());
	function->setDoesNotThrow();
	function->addFnAttr(Attribute::WillReturn);
	function->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
	SmallVector<Value *, 8> values;
	for (size_t i = 0; i < count; i++)
		values.push_back(unwrap(value[i]));
	IRBuilder<>(at).CreateCall(callee, {}, OperandBundleDef("deopt", values));
}

// The `resume` to which control goes on after a block, over nothing but what makes its operand; NULL: there is none.
static ResumeInst *resume_after(BasicBlock *block)
{
	if (auto *resume = dyn_cast<ResumeInst>(block->getTerminator()))
		return resume;
	BasicBlock *next = block->getSingleSuccessor();
	auto *resume = next ? dyn_cast<ResumeInst>(next->getTerminator()) : nullptr;
	for (Instruction *at = resume ? &next->front() : nullptr; at && at != resume; at = at->getNextNode())
		if (!isa<PHINode>(at) && !isa<InsertValueInst>(at) && !isa<DbgInfoIntrinsic>(at))
			return nullptr;
	return resume;
}

// The exception, at the end of the block.
static Value *exception_of(IRBuilder<> &builder, ResumeInst *resume, BasicBlock *block)
{
	Value *pointer = FindInsertedValue(resume->getValue(), {0});
	Value *value = pointer ? pointer : resume->getValue();
	if (block != resume->getParent())
		value = value->DoPHITranslation(resume->getParent(), block);
	return pointer ? value : builder.CreateExtractValue(value, 0);
}

static void lower_resume(CallInst *call)
{
	BasicBlock *block = call->getParent();
	if (ResumeInst *resume = resume_after(block)) {
		Instruction *end = block->getTerminator();
		Module *module = call->getModule();
		IRBuilder<> builder(end);
		auto callee = module->getOrInsertFunction(
			"_Unwind_Resume", builder.getVoidTy(), PointerType::get(module->getContext(), 0));
		SmallVector<OperandBundleDef, 1> bundles;
		call->getOperandBundlesAsDefs(bundles);
		builder.CreateCall(callee, exception_of(builder, resume, block), bundles)->setDoesNotReturn();
		builder.CreateUnreachable();
		for (BasicBlock *next : successors(block))
			next->removePredecessor(block);
		end->eraseFromParent();
	}
	call->eraseFromParent();
}

bool wm_shim_lower_resumes(LLVMModuleRef module)
{
	Function *marker = unwrap(module)->getFunction(WM_RESUME_NAME);
	if (!marker)
		return false;
	for (User *user : make_early_inc_range(marker->users()))
		lower_resume(cast<CallInst>(user));
	marker->eraseFromParent();
	return true;
}

void wm_shim_keep_deopt_in_registers(bool keep)
{
	auto &options = cl::getRegisteredOptions();
	auto found = options.find("use-registers-for-deopt-values");
	if (found != options.end())
		static_cast<cl::opt<bool> *>(found->second)->setValue(keep);
}

void wm_shim_table_bytes(wm_shim_table *table, const void *bytes, size_t size)
{
	table->out.emitBytes(StringRef(static_cast<const char *>(bytes), size));
}

void wm_shim_table_start(wm_shim_table *table)
{
	MCSymbol *here = table->out.getContext().createTempSymbol();
	table->out.emitLabel(here);
	table->out.emitAbsoluteSymbolDiff(table->address[0], here, 4);
	table->out.emitAbsoluteSymbolDiff(table->end, here, 4);
}

void wm_shim_table_distance(wm_shim_table *table, size_t from, size_t to)
{
	table->out.emitAbsoluteSymbolDiffAsULEB128(table->address[to], table->address[from]);
}
