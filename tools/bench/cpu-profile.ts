import { Session } from 'node:inspector/promises';
import { workspace } from './child-process.ts';

/** CPU time by origin, in milliseconds of the main thread, the largest first. */
export interface CpuProfile {
  readonly totalMs: number;
  readonly byPackage: readonly { readonly name: string; readonly ms: number }[];
  /** Functions by the time they took themselves; garbage collection and the like have names in parentheses. */
  readonly byFunction: readonly { readonly name: string; readonly ms: number }[];
}

/** A running profile. */
export interface RunningCpuProfile {
  stop(): Promise<CpuProfile>;
}

const SAMPLE_EVERY_US = 250;
const MAX_LINES = 40;

/** Starts to sample the CPU of this process. */
export async function startCpuProfile(): Promise<RunningCpuProfile> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US });
  await session.post('Profiler.start');
  return {
    async stop() {
      const { profile } = await session.post('Profiler.stop');
      session.disconnect();
      const names = new Map<number, { packageName: string; functionName: string }>();
      for (const { id, callFrame } of profile.nodes) {
        const { functionName, url, lineNumber } = callFrame;
        const packageName = packageOf(url, functionName);
        const place = url === '' ? '' : ` ${shortPlace(url)}:${String(lineNumber + 1)}`;
        names.set(id, { packageName, functionName: `${functionName || '(anonymous)'}${place}` });
      }
      const byPackage = new Map<string, number>();
      const byFunction = new Map<string, number>();
      let totalMs = 0;
      for (const [index, id] of (profile.samples ?? []).entries()) {
        const { packageName, functionName } = names.get(id)!;
        const ms = (profile.timeDeltas?.[index] ?? 0) / 1000;
        if (functionName === '(idle)' || functionName === '(root)' || packageName === 'node:inspector') continue;
        totalMs += ms;
        byPackage.set(packageName, (byPackage.get(packageName) ?? 0) + ms);
        byFunction.set(functionName, (byFunction.get(functionName) ?? 0) + ms);
      }
      return { totalMs, byPackage: largest(byPackage), byFunction: largest(byFunction) };
    },
  };
}

/** Formats a profile in a few lines. */
export function describeProfile({ totalMs, byPackage, byFunction }: CpuProfile, functions = 12): string[] {
  const share = (ms: number): string => `${((ms / totalMs) * 100).toFixed(1)} %`;
  return [
    `  where ${(totalMs / 1000).toFixed(2)} s of the main thread went: ` +
      byPackage
        .slice(0, 12)
        .map(({ name, ms }) => `${name} ${share(ms)}`)
        .join(', '),
    ...byFunction.slice(0, functions).map(({ name, ms }) => `  ${share(ms).padStart(7)}  ${name}`),
  ];
}

function largest(times: ReadonlyMap<string, number>): { name: string; ms: number }[] {
  return [...times]
    .map(([name, ms]) => ({ name, ms }))
    .toSorted((left, right) => right.ms - left.ms)
    .slice(0, MAX_LINES);
}

/** `packages/pleg`, `rxjs`, `node:http2`; code without a source keeps its name. */
function packageOf(url: string, functionName: string): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'native';
  if (url === 'node:inspector') return url; // The cost of the profile itself.
  if (url.startsWith('node:')) return url.startsWith('node:internal/http2') ? 'node:http2' : 'node';
  const dependency = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
  return dependency ?? /\/((?:packages|tools)\/[^/]+)\//.exec(url)?.[1] ?? url;
}

function shortPlace(url: string): string {
  return url
    .replace(/^file:\/\//, '')
    .replace(workspace, '')
    .replace(/^.*node_modules\//, '');
}
