import type { HealthCheck } from '@rxlet/agent-api';
import type { EndpointResponse } from '@rxlet/agent-api/http';
import { goQuote } from '@rxlet/component-base/go';
import { errorLine } from '../request/answer.ts';
import type { HandlerRoute } from '../routing/route.ts';

/** Options of {@link healthRoutes}. */
export interface HealthOptions {
  /** Whether `/healthz` shows why a check fails. Otherwise only the path of the check itself does. */
  readonly showsReasons?: boolean;
  /** Records the outcome of a check of `/healthz`. */
  readonly onOutcome?: (name: string, passed: boolean) => void;
}

/** Returns the routes `/healthz` and `/healthz/{check}`, in the kubelet's words. */
export function healthRoutes(checks: readonly HealthCheck[], options: HealthOptions = {}): readonly HandlerRoute[] {
  return [
    {
      pattern: '/healthz',
      isOnReadOnlyPort: true,
      handle: ({ parameters }) => allChecks(checks, parameters, options),
    },
    ...checks.map(({ name, check }): HandlerRoute => ({
      pattern: `/healthz/${name}`,
      isOnReadOnlyPort: true,
      handle() {
        const problem = check();
        return problem === undefined ? { body: 'ok' } : errorLine(500, `internal server error: ${problem}`);
      },
    })),
  ];
}

function allChecks(
  checks: readonly HealthCheck[],
  parameters: URLSearchParams,
  { showsReasons = false, onOutcome }: HealthOptions,
): EndpointResponse {
  const excluded = new Set(parameters.getAll('exclude'));
  const lines: string[] = [];
  let isHealthy = true;
  for (const { name, check } of checks) {
    if (excluded.delete(name)) {
      lines.push(`[+]${name} excluded: ok`);
      continue;
    }
    const problem = check();
    onOutcome?.(name, problem === undefined);
    if (problem !== undefined) isHealthy = false;
    lines.push(
      problem === undefined ? `[+]${name} ok` : `[-]${name} failed: ${showsReasons ? problem : 'reason withheld'}`,
    );
  }
  if (excluded.size > 0) {
    const names = [...excluded].sort().map(goQuote).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  if (!isHealthy) return errorLine(500, [...lines, 'healthz check failed'].join('\n'));
  const body = parameters.has('verbose') ? [...lines, 'healthz check passed\n'].join('\n') : 'ok';
  return { headers: { 'x-content-type-options': 'nosniff' }, body };
}
