// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/llvm/shim.h"
#include "plugin/llvm/llvm_version.h"
#include "plugin/llvm/stack_maps.h"
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/InlineCost.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ProfileSummaryInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/ProfileData/InstrProf.h>
#include <llvm/ProfileData/ProfileCommon.h>
#include <llvm/Support/MD5.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/CallPromotionUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

using namespace llvm;

struct wm_shim_analyses {
	FunctionAnalysisManager &manager;
	ModuleAnalysisManager &of_modules;
};

namespace
{
struct WaymarkPass : PassInfoMixin<WaymarkPass> {
	wm_shim_hook hook;
	explicit WaymarkPass(wm_shim_hook at) : hook(at)
	{
	}
	static bool isRequired()
	{
		return true;
	}
	PreservedAnalyses run(Module &module, ModuleAnalysisManager &manager)
	{
		wm_shim_analyses analyses{
			manager.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager(), manager};
		return wm_plugin_run(wrap(&module), hook, &analyses) ? PreservedAnalyses::none()
								     : PreservedAnalyses::all();
	}
};

template <typename T> T *as(LLVMValueRef value)
{
	return cast<T>(unwrap(value));
}
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo()
{
	if (!wm_version_fits())
		return {0, "waymark", "1", nullptr}; // LLVM refuses this version of its interface
	return {LLVM_PLUGIN_API_VERSION, "waymark", "1", [](PassBuilder &builder) {
			builder.registerPipelineStartEPCallback([](ModulePassManager &passes, OptimizationLevel level) {
				wm_shim_keep_deopt_in_registers(level != OptimizationLevel::O0);
				passes.addPass(WaymarkPass(WM_HOOK_PIPELINE_START));
			});
			builder.registerOptimizerEarlyEPCallback([](ModulePassManager &passes, OptimizationLevel) {
				passes.addPass(WaymarkPass(WM_HOOK_INLINED));
			});
			builder.registerOptimizerLastEPCallback([](ModulePassManager &passes, OptimizationLevel) {
				passes.addPass(WaymarkPass(WM_HOOK_OPTIMIZER_LAST));
			});
			builder.registerFullLinkTimeOptimizationEarlyEPCallback(
				[](ModulePassManager &passes, OptimizationLevel) {
					passes.addPass(WaymarkPass(WM_HOOK_LINK_START));
				});
			builder.registerFullLinkTimeOptimizationLastEPCallback(
				[](ModulePassManager &passes, OptimizationLevel) {
					passes.addPass(WaymarkPass(WM_HOOK_INLINED));
				});
		}};
}

double wm_shim_block_frequency(wm_shim_analyses *analyses, LLVMBasicBlockRef block)
{
	BasicBlock *bb = unwrap(block);
	auto &info = analyses->manager.getResult<BlockFrequencyAnalysis>(*bb->getParent());
	return (double)info.getBlockFreq(bb).getFrequency() / (double)info.getEntryFreq().getFrequency();
}

double wm_shim_edge_probability(wm_shim_analyses *analyses, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
	BasicBlock *bb = unwrap(from);
	auto probability = analyses->manager.getResult<BranchProbabilityAnalysis>(*bb->getParent())
				   .getEdgeProbability(bb, unwrap(to));
	return (double)probability.getNumerator() / (double)BranchProbability::getDenominator();
}

bool wm_shim_is_library_function(wm_shim_analyses *analyses, LLVMValueRef function)
{
	LibFunc which;
	Function *f = as<Function>(function);
	return analyses->manager.getResult<TargetLibraryAnalysis>(*f).getLibFunc(*f, which);
}

void wm_shim_drop_analyses(wm_shim_analyses *analyses, LLVMValueRef function)
{
	analyses->manager.invalidate(*as<Function>(function), PreservedAnalyses::none());
}

void wm_shim_simplify(wm_shim_analyses *analyses, LLVMValueRef function)
{
	Function *f = as<Function>(function);
	if (f->hasOptNone())
		return;
	FunctionPassManager passes;
	passes.addPass(InstCombinePass());
	passes.addPass(JumpThreadingPass());
	passes.addPass(SimplifyCFGPass());
	wm_shim_drop_analyses(analyses, function);
	passes.run(*f, analyses->manager);
	wm_shim_drop_analyses(analyses, function);
}

void wm_shim_fold_indirect_targets(LLVMValueRef function)
{
	for (BasicBlock &block : *as<Function>(function)) {
		auto *branch = dyn_cast<IndirectBrInst>(block.getTerminator());
		if (!branch)
			continue;
		SetVector<BasicBlock *> targets(succ_begin(&block), succ_end(&block));
		if (targets.size() == branch->getNumDestinations())
			continue;
		auto *folded = IndirectBrInst::Create(branch->getAddress(), targets.size(), branch);
		folded->setDebugLoc(branch->getDebugLoc());
		SmallPtrSet<BasicBlock *, 16> seen;
		for (BasicBlock *target : successors(branch))
			if (!seen.insert(target).second)
				target->removePredecessor(&block, /*KeepOneInputPHIs=*/true);
		for (BasicBlock *target : targets)
			folded->addDestination(target);
		branch->eraseFromParent();
	}
}

void wm_shim_split_indirect_edges(LLVMValueRef function)
{
	SplitIndirectBrCriticalEdges(*as<Function>(function), /*IgnoreBlocksWithoutPHI=*/false);
}

LLVMBasicBlockRef wm_shim_edge_block(LLVMValueRef terminator, unsigned successor)
{
	Instruction *from = as<Instruction>(terminator);
	BasicBlock *to = from->getSuccessor(successor);
	if (to->getUniquePredecessor())
		return wrap(to);
	if (isa<IndirectBrInst>(from))
		return nullptr;
	if (to->isLandingPad()) {
		SmallVector<BasicBlock *, 2> created;
		SplitLandingPadPredecessors(to, from->getParent(), ".waymark", ".others", created);
		return wrap(created[0]);
	}
	return wrap(SplitCriticalEdge(from, successor, CriticalEdgeSplittingOptions().setMergeIdenticalEdges()));
}

LLVMValueRef wm_shim_first_insertion(LLVMBasicBlockRef block)
{
	BasicBlock *bb = unwrap(block);
	auto at = bb->getFirstInsertionPt();
	return at == bb->end() ? nullptr : wrap(&*at);
}

LLVMValueRef wm_shim_if_unlikely(LLVMValueRef condition, LLVMValueRef before)
{
	Instruction *at = as<Instruction>(before);
	MDNode *unlikely = MDBuilder(at->getContext()).createUnlikelyBranchWeights();
	return wrap(SplitBlockAndInsertIfThen(unwrap(condition), at, /*Unreachable=*/false, unlikely));
}

void wm_shim_if_likely_else(LLVMValueRef condition, LLVMValueRef before, LLVMValueRef *then, LLVMValueRef *otherwise)
{
	Instruction *at = as<Instruction>(before), *yes = nullptr, *no = nullptr;
	MDNode *likely = MDBuilder(at->getContext()).createLikelyBranchWeights();
	SplitBlockAndInsertIfThenElse(unwrap(condition), at, &yes, &no, likely);
	*then = wrap(yes);
	*otherwise = wrap(no);
}

void wm_shim_split_before(LLVMValueRef instruction)
{
	auto *at = as<Instruction>(instruction);
	SplitBlock(at->getParent(), at);
}

void wm_shim_split_normal_edge(LLVMValueRef invoke)
{
	auto *call = as<InvokeInst>(invoke);
	BasicBlock *to = call->getNormalDest();
	BasicBlock *between = BasicBlock::Create(call->getContext(), "", call->getFunction(), to);
	BranchInst::Create(to, between)->setDebugLoc(call->getDebugLoc());
	to->replacePhiUsesWith(call->getParent(), between);
	call->setNormalDest(between);
}

LLVMValueRef wm_shim_demote(LLVMValueRef instruction)
{
	return wrap(DemoteRegToStack(*as<Instruction>(instruction)));
}

LLVMValueRef wm_shim_demote_phi(LLVMValueRef phi)
{
	return wrap(DemotePHIToStack(as<PHINode>(phi)));
}

void wm_shim_copy_blocks(LLVMValueRef function, LLVMBasicBlockRef *block, LLVMBasicBlockRef *copy, size_t count)
{
	ValueToValueMapTy map;
	SmallVector<BasicBlock *, 64> copies;
	for (size_t i = 0; i < count; i++) {
		BasicBlock *made = CloneBasicBlock(unwrap(block[i]), map, ".copy", as<Function>(function));
		map[unwrap(block[i])] = made;
		copies.push_back(made);
		copy[i] = wrap(made);
	}
	remapInstructionsInBlocks(copies, map);
}

void wm_shim_drop_unreachable(LLVMValueRef function)
{
	EliminateUnreachableBlocks(*as<Function>(function));
}

bool wm_shim_block_has_address_taken(LLVMBasicBlockRef block)
{
	return unwrap(block)->hasAddressTaken();
}

void wm_shim_promote(LLVMValueRef function, LLVMValueRef *allocas, size_t count)
{
	DominatorTree dominators(*as<Function>(function));
	SmallVector<AllocaInst *, 4> promotable;
	for (size_t i = 0; i < count; i++)
		promotable.push_back(as<AllocaInst>(allocas[i]));
	PromoteMemToReg(promotable, dominators);
}

void wm_shim_move_before(LLVMValueRef instruction, LLVMValueRef before)
{
	as<Instruction>(instruction)->moveBefore(as<Instruction>(before));
}

void wm_shim_set_weights(LLVMValueRef terminator, const uint32_t *weight, size_t count)
{
	Instruction *at = as<Instruction>(terminator);
	at->setMetadata(LLVMContext::MD_prof, MDBuilder(at->getContext()).createBranchWeights({weight, count}));
}

void wm_shim_set_header_weight(LLVMValueRef terminator, uint64_t count)
{
	Instruction *at = as<Instruction>(terminator);
	at->setMetadata(LLVMContext::MD_irr_loop, MDBuilder(at->getContext()).createIrrLoopHeaderWeight(count));
}

void wm_shim_set_entry_count(LLVMValueRef function, uint64_t count)
{
	as<Function>(function)->setEntryCount(Function::ProfileCount(count, Function::PCT_Real));
}

void wm_shim_set_summary(
	wm_shim_analyses *analyses, LLVMModuleRef module, const uint64_t *count, const size_t *first, size_t functions)
{
	Module *m = unwrap(module);
	InstrProfSummaryBuilder builder(ProfileSummaryBuilder::DefaultCutoffs);
	for (size_t f = 0; f < functions; f++)
		builder.addRecord(InstrProfRecord(std::vector<uint64_t>(count + first[f], count + first[f + 1])));
	m->setProfileSummary(builder.getSummary()->getMD(m->getContext()), ProfileSummary::PSK_Instr);
	analyses->of_modules.getResult<ProfileSummaryAnalysis>(*m).refresh();
}

bool wm_shim_is_hot(wm_shim_analyses *analyses, LLVMModuleRef module, uint64_t count)
{
	return analyses->of_modules.getResult<ProfileSummaryAnalysis>(*unwrap(module)).isHotCount(count);
}

bool wm_shim_is_cold(wm_shim_analyses *analyses, LLVMModuleRef module, uint64_t count)
{
	return analyses->of_modules.getResult<ProfileSummaryAnalysis>(*unwrap(module)).isColdCount(count);
}

/* The only thing that an expectation is for, perhaps through a comparison; the value of a phi is expected of branches before. */
static Instruction *branch_of_expectation(IntrinsicInst *expectation)
{
	Instruction *at = expectation;
	if (isa<PHINode>(expectation->getArgOperand(0)))
		return nullptr;
	for (int i = 0; i < 2 && !at->isTerminator(); i++) {
		at = at->hasOneUse() ? dyn_cast<Instruction>(at->user_back()) : nullptr;
		if (!at || !(isa<CmpInst>(at) || at->isTerminator()))
			return nullptr;
	}
	return at->isTerminator() ? at : nullptr;
}

void wm_shim_drop_expectations(LLVMValueRef function)
{
	for (Instruction &at : make_early_inc_range(instructions(as<Function>(function)))) {
		auto *call = dyn_cast<IntrinsicInst>(&at);
		if (!call || (call->getIntrinsicID() != Intrinsic::expect &&
				     call->getIntrinsicID() != Intrinsic::expect_with_probability))
			continue;
		Instruction *branch = branch_of_expectation(call);
		if (branch && !branch->hasMetadata(LLVMContext::MD_prof))
			continue;
		call->replaceAllUsesWith(call->getArgOperand(0));
		call->eraseFromParent();
	}
}

void wm_shim_remark(LLVMValueRef instruction, bool missed, const char *name, const char *text)
{
	Instruction *at = as<Instruction>(instruction);
	OptimizationRemarkEmitter emitter(at->getFunction());
	if (missed)
		emitter.emit([&] { return OptimizationRemarkMissed("waymark", name, at) << text; });
	else
		emitter.emit([&] { return OptimizationRemark("waymark", name, at) << text; });
}

void wm_shim_error(LLVMModuleRef module, const char *text)
{
	unwrap(module)->getContext().emitError(Twine("waymark: ") + text);
}

LLVMValueRef wm_shim_clone(LLVMValueRef function, const char *suffix)
{
	ValueToValueMapTy map;
	Function *original = as<Function>(function), *copy = CloneFunction(original, map);
	copy->setName(original->getName() + suffix);
	copy->setComdat(nullptr);
	return wrap(copy);
}

LLVMValueRef wm_shim_copy_for_inlining(LLVMValueRef function, const char *suffix)
{
	ValueToValueMapTy map;
	Function *original = as<Function>(function);
	if (DISubprogram *subprogram = original->getSubprogram())
		map.MD()[subprogram].reset(subprogram);
	Function *copy = CloneFunction(original, map);
	copy->setName(original->getName() + suffix);
	copy->setComdat(nullptr);
	copy->setLinkage(GlobalValue::InternalLinkage);
	return wrap(copy);
}

bool wm_shim_may_inline(wm_shim_analyses *analyses, LLVMValueRef caller, LLVMValueRef callee)
{
	Function *into = as<Function>(caller), *body = as<Function>(callee);
	auto &target = analyses->manager.getResult<TargetIRAnalysis>(*into);
	return target.areInlineCompatible(into, body) && AttributeFuncs::areInlineCompatible(*into, *body);
}

bool wm_shim_inline(LLVMValueRef call, LLVMValueRef body)
{
	CallBase *site = as<CallBase>(call);
	Function *callee = site->getCalledFunction();
	InlineFunctionInfo info;
	if (!isInlineViable(*as<Function>(body)).isSuccess())
		return false;
	site->setCalledFunction(as<Function>(body));
	bool inlined = InlineFunction(*site, info, /*MergeAttributes=*/true).isSuccess();
	if (!inlined)
		site->setCalledFunction(callee);
	return inlined;
}

bool wm_shim_writes_memory(LLVMValueRef instruction)
{
	return as<Instruction>(instruction)->mayWriteToMemory();
}

bool wm_shim_may_write(wm_shim_analyses *analyses, LLVMValueRef instruction, LLVMValueRef load)
{
	auto *writer = as<Instruction>(instruction);
	auto &aliases = analyses->manager.getResult<AAManager>(*writer->getFunction());
	return isModSet(aliases.getModRefInfo(writer, MemoryLocation::get(as<LoadInst>(load))));
}

bool wm_shim_is_tag(LLVMValueRef call)
{
	Function *callee = as<CallBase>(call)->getCalledFunction();
	return callee && callee->getName() == WM_TAG_NAME;
}

void wm_shim_delete_body(LLVMValueRef function)
{
	as<Function>(function)->deleteBody();
}

bool wm_shim_is_indirect_call(LLVMValueRef call)
{
	return as<CallBase>(call)->isIndirectCall();
}

bool wm_shim_can_promote_call(LLVMValueRef call, LLVMValueRef function)
{
	return isLegalToPromote(*as<CallBase>(call), as<Function>(function));
}

LLVMValueRef wm_shim_promote_call(LLVMValueRef call, LLVMValueRef function)
{
	return wrap(&promoteCallWithIfThenElse(*as<CallBase>(call), as<Function>(function)));
}

bool wm_shim_is_interposable(LLVMValueRef global)
{
	return as<GlobalValue>(global)->isInterposable();
}

bool wm_shim_has_address_taken(LLVMValueRef function)
{
	return as<Function>(function)->hasAddressTaken();
}

bool wm_shim_is_static_alloca(LLVMValueRef instruction)
{
	auto *alloca = dyn_cast<AllocaInst>(unwrap(instruction));
	return alloca && alloca->isStaticAlloca();
}

bool wm_shim_is_pseudo_call(LLVMValueRef call)
{
	auto *intrinsic = dyn_cast<IntrinsicInst>(unwrap(call));
	return intrinsic ? intrinsic->isAssumeLikeIntrinsic() || isa<PseudoProbeInst>(intrinsic) : wm_shim_is_tag(call);
}

bool wm_shim_has(LLVMValueRef function, const char *attribute)
{
	Attribute::AttrKind kind = Attribute::getAttrKindFromName(attribute);
	Function *f = as<Function>(function);
	return kind == Attribute::None ? f->hasFnAttribute(attribute) : f->hasFnAttribute(kind);
}

bool wm_shim_call_has(LLVMValueRef call, const char *attribute)
{
	return as<CallBase>(call)->hasFnAttr(Attribute::getAttrKindFromName(attribute));
}

void wm_shim_retain(LLVMModuleRef module, LLVMValueRef *globals, size_t count)
{
	SmallVector<GlobalValue *, 64> values;
	for (size_t i = 0; i < count; i++)
		values.push_back(as<GlobalValue>(globals[i]));
	appendToUsed(*unwrap(module), values);
}

const char *wm_shim_file_checksum(LLVMMetadataRef file, size_t *length)
{
	auto sum = cast<DIFile>(unwrap(file))->getChecksum();
	*length = sum ? sum->Value.size() : 0;
	return sum ? sum->Value.data() : "";
}

const char *wm_shim_data(LLVMValueRef constant, size_t *size)
{
	StringRef data = cast<ConstantDataSequential>(unwrap(constant))->getRawDataValues();
	*size = data.size();
	return data.data();
}

void wm_shim_md5(const void *data, size_t size, uint8_t *sum)
{
	MD5::MD5Result result = MD5::hash({static_cast<const uint8_t *>(data), size});
	copy(result, sum);
}
