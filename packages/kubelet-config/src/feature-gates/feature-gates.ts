import type { FeatureGates } from '@rxlet/component-base/kubelet-configuration';
import { FEATURE_GATES, type FeatureGateSpec, type FeatureStage } from './feature-gate-table.ts';

/** Values of feature gates as they are configured. */
export type FeatureGateValues = Readonly<Record<string, boolean>>;

/** Result of {@link resolveFeatureGates}: the gates, or the problems of their values. */
export type ResolvedFeatureGates =
  | { readonly gates: FeatureGates; readonly problems?: undefined }
  | { readonly gates?: undefined; readonly problems: readonly string[] };

/** Gates that stand for all gates of a stage that are not set themselves. */
const STAGE_OF_GATE: Readonly<Record<string, FeatureStage>> = { AllAlpha: 'Alpha', AllBeta: 'Beta' };

/** Applies configured values to the gates' defaults. */
export function resolveFeatureGates(
  values: FeatureGateValues,
  table: ReadonlyMap<string, FeatureGateSpec> = FEATURE_GATES,
): ResolvedFeatureGates {
  const problems: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    const spec = table.get(name);
    if (spec === undefined) problems.push(`unrecognized feature gate: ${name}`);
    else if (spec.locked === true && spec.enabledByDefault !== value)
      problems.push(
        `cannot set feature gate ${name} to ${String(value)}, feature is locked to ${String(spec.enabledByDefault)}`,
      );
  }
  if (problems.length > 0) return { problems };

  const ofStage = (stage: FeatureStage): boolean | undefined =>
    Object.entries(STAGE_OF_GATE)
      .filter(([, ofGate]) => ofGate === stage)
      .map(([name]) => values[name])[0];
  const isEnabled = (name: string): boolean => {
    const spec = table.get(name);
    if (spec === undefined) throw new RangeError(`there is no feature gate "${name}"`);
    return values[name] ?? ofStage(spec.stage) ?? spec.enabledByDefault;
  };
  for (const [name, { needs = [] }] of table) {
    const disabled = isEnabled(name) ? needs.filter((need) => !isEnabled(need)) : [];
    if (disabled.length > 0)
      problems.push(`${name} is enabled, but depends on features that are disabled: ${disabled.join(', ')}`);
  }
  return problems.length > 0 ? { problems } : { gates: { isEnabled } };
}
