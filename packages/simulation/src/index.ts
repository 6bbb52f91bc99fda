export { FAULT_KINDS, type FaultKind } from './faults/fault-kinds.ts';
export { describeLastingFault, type LastingFault } from './faults/lasting-faults.ts';
export type { History, HistoryEvent, HistoryFact } from './history/history.ts';
export { PROPERTIES } from './properties/properties.ts';
export type { Property, Violation } from './properties/property.ts';
export {
  createReachedCounter,
  REACHED_STATES,
  reachableStates,
  type ReachedCounter,
} from './reached/reached-states.ts';
export type { ReachedState } from './reached/reached-state.ts';
export { describeFailure, type ReportContext, textTimeline } from './report/failure-report.ts';
export { htmlReport } from './report/html-timeline.ts';
export { compareRuns } from './run/compare-runs.ts';
export { runPlan, type RunOptions, type RunResult } from './run/run-plan.ts';
export { shrink, type ShrinkOptions } from './run/shrink.ts';
export { simulate, type SimulateOptions, type SimulationResult } from './run/simulate.ts';
export { generatePlan, type PlanOptions } from './workload/generate-plan.ts';
export type { Plan, WorldOptions } from './workload/plan.ts';
export { type Workload, WORKLOADS } from './workload/workloads.ts';
export { describeStep, type Step, type TimedStep } from './workload/step.ts';
export type { Assembly } from './world/assembly.ts';
