import {
  allFieldPaths,
  encodeConfiguration,
  FEATURE_GATES,
  FLAGS,
  loadConfiguration,
  type LoadedConfiguration,
} from '@rxlet/kubelet-config';
import { expect, it } from 'vitest';
import {
  describeMissingEffects,
  FIELDS_IN_EFFECT,
  GATES_IN_EFFECT,
  FLAG_HELP,
  flagOfSetting,
  FLAGS_IN_EFFECT,
  MODULE_SETTINGS,
  REASONS_WITHOUT_EFFECT,
} from './effects.ts';
import { fromKubeletConfiguration } from './from-kubelet-configuration.ts';
import { testNode } from './test-support.ts';

const load = (fields: readonly string[], ...args: readonly string[]): LoadedConfiguration =>
  loadConfiguration({
    file: {
      path: '/kubelet.yaml',
      content: ['apiVersion: kubelet.config.k8s.io/v1beta1', 'kind: KubeletConfiguration', ...fields].join('\n'),
    },
    args,
    cgroupVersion: 'v2',
  });

it('lists only fields and flags that exist', () => {
  const fields = allFieldPaths();
  expect([...FIELDS_IN_EFFECT].filter((path) => !fields.includes(path))).toEqual([]);
  expect([...FLAGS_IN_EFFECT].filter((name) => FLAGS.get(name)?.path !== undefined || !FLAGS.has(name))).toEqual([]);
});

it('states an effect, or the reason for none, of each field and each flag, and never both', () => {
  const ownFlags = [...FLAGS].flatMap(([name, { path }]) => (path === undefined ? [name] : []));
  const all = [...allFieldPaths(), ...ownFlags];
  const inEffect = (name: string): boolean => FIELDS_IN_EFFECT.has(name) || FLAGS_IN_EFFECT.has(name);
  expect(all.filter((name) => !inEffect(name) && !REASONS_WITHOUT_EFFECT.has(name))).toEqual([]);
  expect(all.filter((name) => inEffect(name) && REASONS_WITHOUT_EFFECT.has(name))).toEqual([]);
  expect([...REASONS_WITHOUT_EFFECT.keys()].filter((name) => !all.includes(name))).toEqual([]);
});

it('lists the feature gates that modules read', async () => {
  const read = new Set<string>();
  const loaded = load(['shutdownGracePeriod: 30s', 'shutdownGracePeriodCriticalPods: 10s']);
  const gates = { isEnabled: (name: string) => (read.add(name), loaded.gates.isEnabled(name)) };
  await fromKubeletConfiguration({ ...loaded, gates }, testNode);
  expect(read.size).toBeGreaterThan(5);
  expect([...read].filter((name) => !GATES_IN_EFFECT.has(name))).toEqual([]);
  expect([...GATES_IN_EFFECT].filter((name) => !FEATURE_GATES.has(name))).toEqual([]);
});

it('names, in one line, what has no effect although it differs from its default', () => {
  const fields = [
    'volumePluginDir: /flex',
    'hairpinMode: promiscuous-bridge',
    'maxPods: 5',
    'featureGates: {ImageVolumeWithDigest: true, ContainerCheckpoint: false, NodeLogQuery: true}',
  ];
  const line = describeMissingEffects(load(fields, '--experimental-mounter-path=/m', '--root-dir=/r'));
  expect(line).toBe(
    'parts of the configuration have no effect: volumePluginDir, featureGates.ImageVolumeWithDigest=true, ' +
      '--experimental-mounter-path (see docs/kubelet-configuration.md)',
  );
  expect(describeMissingEffects(load(['maxPods: 5']))).toBeUndefined();
});

it('has nothing to report for the defaults, when they are all given', () => {
  const { configuration } = load([]);
  const whole = loadConfiguration({
    file: { path: '/kubelet.yaml', content: JSON.stringify(encodeConfiguration(configuration)) },
    cgroupVersion: 'v2',
  });
  expect(whole.configuredFields.size).toBeGreaterThan(80);
  expect(describeMissingEffects(whole)).toBeUndefined();
});

it('has settings with names and flags of their own', () => {
  const flags = MODULE_SETTINGS.map(flagOfSetting);
  expect(flags).toContain('eviction-dry-run');
  expect(new Set(flags).size).toBe(flags.length);
  expect(flags.filter((flag) => FLAGS.has(flag))).toEqual([]);
});

it('explains settings and flags of the kubelet', () => {
  const settings = MODULE_SETTINGS.map(flagOfSetting);
  const explained = FLAG_HELP.map(({ flag }) => flag);
  expect(explained).toEqual(expect.arrayContaining(settings));
  expect(explained.filter((flag) => !FLAGS.has(flag) && !settings.includes(flag))).toEqual([]);
  expect(new Set(explained).size).toBe(explained.length);
});
