import type { AgentCore, HealthCheck } from '@rxlet/agent-api';
import type { NodeObject, NodeStatusSetter, RuntimeHealth } from '@rxlet/agent-api/node';
import type { NodeProblemSource } from '@rxlet/agent-api/journal';
import { errorMessage } from '@rxlet/component-base';
import type { CurrentValue } from '@rxlet/component-base/streams';
import type { NodeProblem } from './explanation.ts';

/** Ports of {@link readNodeProblems}: the parts of the agent that an agent may lack are optional. */
export interface NodeProblemsPorts {
  readonly runtime: Pick<RuntimeHealth, 'isKnown' | 'problems'> | undefined;
  readonly sourceProblems: AgentCore['sourceProblems'];
  readonly sources: readonly NodeProblemSource[];
  readonly healthChecks: readonly HealthCheck[];
  readonly setters: readonly NodeStatusSetter[];
  readonly nodeObject: NodeObject | undefined;
  readonly certificate: CurrentValue<unknown> | undefined;
}

/** Health checks whose problems other parts report. */
const COVERED: ReadonlySet<string> = new Set(['ping', 'pleg', 'sources']);

/** Reads the problems of the node: runtime, sources of pods, those of modules (such as the API server), certificates, pressure, and health checks. */
export function readNodeProblems(ports: NodeProblemsPorts): readonly NodeProblem[] {
  const { runtime, sourceProblems, sources, healthChecks, certificate } = ports;
  const isKnown = runtime?.isKnown.value ?? true;
  const ofRuntime = isKnown ? (runtime?.problems() ?? []) : ['the container runtime has not answered yet'];
  return [
    ...ofRuntime.map((message) => ({ part: 'runtime', message })),
    ...sourceProblems.value.map(({ message }) => ({ part: 'sources', message })),
    ...sources.flatMap(({ part, problem }) => {
      const message = problem();
      return message === undefined ? [] : [{ part, message }];
    }),
    ...(certificate !== undefined && certificate.value === undefined
      ? [
          {
            part: 'certificates',
            message: 'there is no valid serving certificate: clients of the kubelet API are rejected',
          },
        ]
      : []),
    ...pressures(ports),
    ...healthChecks.flatMap(({ name, check }) => {
      const problem = COVERED.has(name) ? undefined : check();
      return problem === undefined ? [] : [{ part: name, message: problem }];
    }),
  ];
}

function pressures({ setters, nodeObject }: NodeProblemsPorts): readonly NodeProblem[] {
  const node = nodeObject?.cached() ?? {};
  return setters
    .filter(({ conditionTypes = [] }) => conditionTypes.some((type) => type.endsWith('Pressure')))
    .flatMap(({ name, contribute }) => {
      try {
        const { conditions = [] } = contribute(node);
        return conditions
          .filter(({ type, status }) => type.endsWith('Pressure') && status === 'True')
          .map(({ type, message }) => ({ part: 'pressure', message: `${type}: ${message}` }));
      } catch (error) {
        return [{ part: 'pressure', message: `cannot read the conditions of ${name}: ${errorMessage(error)}` }];
      }
    });
}
