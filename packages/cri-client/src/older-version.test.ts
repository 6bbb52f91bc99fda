import { spawnSync } from 'node:child_process';
import { ImageServiceDescriptor, RuntimeServiceDescriptor } from '@rxlet/cri-api';
import { v1alpha2Method } from '@rxlet/cri-api/v1alpha2';
import { describe, expect, it } from 'vitest';
import { isLaterThanV1alpha2, v1alpha2Path } from './older-version.ts';
import { rpcPath } from './rpc-method.ts';

describe('v1alpha2', () => {
  const methods = [...RuntimeServiceDescriptor.methods, ...ImageServiceDescriptor.methods];

  it.each(methods.map((method) => [method.name, method] as const))(
    '%s has the RPCs of its descriptors',
    (name, method) => {
      const older = v1alpha2Method(method);
      expect(v1alpha2Path(method)).toBe(older && rpcPath(older));
      expect(isLaterThanV1alpha2(name)).toBe(older === undefined);
    },
  );

  it('is not loaded with the client', () => {
    const script = `
      const { registerHooks } = await import('node:module');
      registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });
      await import('@rxlet/cri-client');`;
    const args = ['--conditions=@rxlet/source', '--input-type=module', '--eval', script];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' });
    expect(stdout, stderr).toContain('cri-api/gen/runtime/v1/api_pb.js');
    expect(stdout).not.toContain('v1alpha2');
  });
});
