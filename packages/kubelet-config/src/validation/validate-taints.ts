import type { KubeletConfiguration, Taint } from '@rxlet/component-base/kubelet-configuration';
import { isLabelValue, isQualifiedName } from '@rxlet/pod-model/scheduling';
import type { ProblemReport } from './problem-report.ts';

const EFFECTS: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Validates the taints that the node registers with. */
export function validateTaints({ registerWithTaints = [] }: KubeletConfiguration, report: ProblemReport): void {
  for (const taint of registerWithTaints) {
    const { key = '', value = '', effect = '' } = taint;
    if (!isValidTaint(taint))
      report(['registerWithTaints'], `invalid taint ${key}=${value}:${effect} in registerWithTaints`);
    if (taint.timeAdded !== undefined)
      report(['registerWithTaints'], 'a taint in registerWithTaints must not have timeAdded');
  }
}

function isValidTaint({ key = '', value = '', effect = '' }: Taint): boolean {
  return isQualifiedName(key) && (value === '' || isLabelValue(value)) && (effect === '' || EFFECTS.includes(effect));
}
