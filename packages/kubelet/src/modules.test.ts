import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** Runs a pod on the fake runtime in a process; without a package when `name` is given. Returns the names of the modules, and the phase of the pod. */
async function runPod(name?: string): Promise<{ readonly modules: readonly string[]; readonly phase: string }> {
  const support = new URL('./test-support/', import.meta.url).pathname;
  const hooks = name === undefined ? [] : ['--import', `${support}without-package.ts`];
  const args = ['--conditions=@rxlet/source', ...hooks, `${support}run-pod.ts`, ...(name === undefined ? [] : [name])];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const [modules = '', phase = ''] = stdout.split('\n');
  return { modules: modules.split(' '), phase };
}

describe('the list of modules', { timeout: 120_000 }, () => {
  it.each([
    ['volume-manager', 'volumes'],
    ['csi', 'csi'],
    ['eviction', undefined],
    ['device-manager', undefined],
  ])('runs a pod without the line, and the folder, of %s', async (name, module) => {
    const { modules, phase } = await runPod(name);
    expect(phase).toBe('Running');
    expect(modules).toContain('image-management');
    if (module !== undefined) expect(modules).not.toContain(module);
  });

  it('has the modules whose lines are deleted in other tests', async () => {
    expect((await runPod()).modules).toEqual(expect.arrayContaining(['volumes', 'csi']));
  });
});
