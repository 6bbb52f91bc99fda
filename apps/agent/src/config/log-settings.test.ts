import { loadConfiguration } from '@rxlet/kubelet-config';
import { expect, it } from 'vitest';
import { logSettingsOf } from './log-settings.ts';

const settings = (logging: string, ...args: readonly string[]) => {
  const content = `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nlogging: ${logging}\n`;
  return logSettingsOf(loadConfiguration({ file: { path: '/k', content }, args, cgroupVersion: 'v2' }).configuration);
};

it("has the kubelet's defaults", () => {
  expect(settings('{}')).toEqual({
    format: 'text',
    verbosity: 0,
    vmodule: [],
    splitStream: false,
    infoBufferBytes: 0,
    flushFrequencyMs: 5000,
  });
});

it('takes the options of the chosen format', () => {
  const flags = ['--feature-gates=LoggingAlphaOptions=true', '--log-json-split-stream'];
  const fields = '{format: json, flushFrequency: 1500000000, options: {json: {infoBufferSize: 1Ki}}}';
  expect(settings(fields, ...flags)).toMatchObject({
    format: 'json',
    splitStream: true,
    infoBufferBytes: 1024,
    flushFrequencyMs: 1500,
  });
  expect(settings('{}', ...flags).splitStream).toBe(false);
});

it('adds the levels of --vmodule to those of the file', () => {
  expect(settings('{vmodule: [{filePattern: pleg, verbosity: 4}]}', '--vmodule=csi=5').vmodule).toEqual([
    { filePattern: 'pleg', verbosity: 4 },
    { filePattern: 'csi', verbosity: 5 },
  ]);
});
