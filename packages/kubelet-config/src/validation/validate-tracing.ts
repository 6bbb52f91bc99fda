import type { TracingConfiguration } from '@rxlet/component-base/kubelet-configuration';
import type { ProblemReport } from './problem-report.ts';

const SCHEMES: readonly string[] = ['dns', 'unix', 'unix-abstract'];

/** Validates where traces are sent, and how many. */
export function validateTracing(tracing: TracingConfiguration | undefined, report: ProblemReport): void {
  const rate = tracing?.samplingRatePerMillion ?? 0;
  if (rate < 0 || rate > 1_000_000)
    report(
      ['tracing.samplingRatePerMillion'],
      `tracing.samplingRatePerMillion ${String(rate)} must be from 0 to 1000000`,
    );
  const endpoint = tracing?.endpoint;
  if (endpoint === undefined || !endpoint.includes('//')) return;
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(endpoint)?.[1]?.toLowerCase() ?? '';
  if (!SCHEMES.includes(scheme))
    report(
      ['tracing.endpoint'],
      `tracing.endpoint "${endpoint}": the scheme must be one of ${SCHEMES.join(', ')}, or none`,
    );
}
