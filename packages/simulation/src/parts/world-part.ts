import type { AgentModule } from '@rxlet/agent-api';
import type { Pod } from '@rxlet/kube-api';
import type { FakeLogind } from '@rxlet/node-shutdown/testing';
import type { AgentLife, TestCluster } from '@rxlet/testing';
import type { HistoryRecorder } from '../history/history.ts';
import type { RuntimeRecorder } from '../history/record-runtime.ts';
import type { Choices } from '../workload/choices.ts';
import type { PartStep, PodExtras } from '../workload/part-steps.ts';
import type { Step, TimedStep } from '../workload/step.ts';
import type { Later } from '../world/later.ts';
import type { PluginSockets } from './plugin-sockets.ts';

/** A kind of parts of the world beside pods, programs and faults. Each seed of the workload `extended` enables some. */
export interface PartKind {
  readonly name: string;
  /** Most steps of a plan. */
  readonly steps: number;
  /** Makes a step. Default: the part has none. */
  make?(choose: Choices, podNames: readonly string[]): Step;
  /** Makes steps that meet another one of the part, each after so long. */
  meet?(choose: Choices, podNames: readonly string[]): readonly TimedStep[];
  /** Chooses fields of a new pod. */
  extras?(choose: Choices): PodExtras;
  /** Chooses fields of a new static pod. */
  staticExtras?(choose: Choices): PodExtras;
  /** Creates the part of a run. */
  create(context: PartContext): WorldPart;
}

/** Environment of a part. */
export interface PartContext {
  readonly cluster: TestCluster;
  readonly history: HistoryRecorder;
  /** Records the changes of containers so far. */
  readonly runtime: Pick<RuntimeRecorder, 'look'>;
  readonly logind: FakeLogind;
  /** Names of all enabled parts. */
  readonly enabled: readonly string[];
  readonly plugins: PluginSockets;
  /** Time that the services of the machine take to answer. */
  readonly latencyMs: number;
}

/** A part of a world. It outlives agents. */
export interface WorldPart {
  readonly name: string;
  /** Returns its modules for a life of the agent. */
  modules?(life: AgentLife): readonly AgentModule[];
  /** Reasons with which pods may end for good. */
  readonly endReasons?: readonly string[];
  /** Reasons with which static pods may end for good. */
  readonly staticEndReasons?: readonly string[];
  /** Carries out a step of the part. Returns whether it is one. */
  run(step: PartStep, later: Later): boolean;
  /** Called after users and agents have changed pods of the API server. */
  podsChanged?(): void;
  /** Loses what does not survive a loss of power. No agent runs. */
  powerOff?(): void;
  /** Ends what troubles the node. */
  end?(): void;
  /** Returns what is not as it must be at rest. `pods` are those of the API server and the static ones that must be as desired, and `touched` the UIDs of those that a permanent fault has touched. */
  differences?(pods: readonly Pod[], touched: ReadonlySet<string>): readonly string[];
}
