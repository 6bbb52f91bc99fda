import type { Affinity, LabelSelector, NodeSelectorTerm, PodAffinityTerm, PodSpec, Toleration } from '@rxlet/kube-api';
import { checkDnsLabel, checkDnsSubdomain, checkLabelValue, checkQualifiedName } from '@rxlet/pod-model/validation';
import { validateLabels } from '@rxlet/pod-model/validation';
import type { Report } from '@rxlet/pod-model/validation';

/** Checks tolerations. */
export function validateTolerations(tolerations: readonly Toleration[] = [], at: string, report: Report): void {
  tolerations.forEach(({ key, operator, value, effect, tolerationSeconds }, index) => {
    const field = `${at}[${String(index)}]`;
    if (key) report.check(`${field}.key`, checkQualifiedName(key));
    else if (operator !== 'Exists') report.add(`${field}.operator`, 'must be Exists when key is empty');
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      report.add(`${field}.effect`, 'must be NoExecute when tolerationSeconds is set');
    }
    if (operator === 'Exists') {
      if (value) report.add(`${field}.operator`, 'Exists takes no value');
    } else if (operator === undefined || operator === 'Equal') {
      report.check(`${field}.operator`, checkLabelValue(value ?? ''));
    } else report.oneOf(`${field}.operator`, operator, ['Equal', 'Exists']);
    if (effect) report.oneOf(`${field}.effect`, effect, ['NoSchedule', 'PreferNoSchedule', 'NoExecute']);
  });
}

/** Checks the fields for schedulers. A pod of a manifest has its node already, and yet these must be valid. */
export function validateScheduling(spec: PodSpec, at: string, report: Report): void {
  validateLabels(spec.nodeSelector, `${at}.nodeSelector`, report);
  if (spec.affinity) validateAffinity(spec.affinity, `${at}.affinity`, report);
  spec.topologySpreadConstraints?.forEach((constraint, index) => {
    const field = `${at}.topologySpreadConstraints[${String(index)}]`;
    if (constraint.maxSkew <= 0) report.add(`${field}.maxSkew`, 'is not greater than 0');
    if (!constraint.topologyKey) report.required(`${field}.topologyKey`);
    report.oneOf(`${field}.whenUnsatisfiable`, constraint.whenUnsatisfiable, ['DoNotSchedule', 'ScheduleAnyway']);
    if (constraint.minDomains !== undefined) {
      if (constraint.minDomains <= 0) report.add(`${field}.minDomains`, 'is not greater than 0');
      if (constraint.whenUnsatisfiable !== 'DoNotSchedule')
        report.add(`${field}.minDomains`, 'is only for DoNotSchedule');
    }
    for (const policy of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
      if (constraint[policy] !== undefined) report.oneOf(`${field}.${policy}`, constraint[policy], ['Honor', 'Ignore']);
    }
    const isRepeated = spec.topologySpreadConstraints?.some(
      ({ topologyKey, whenUnsatisfiable }, other) =>
        other > index && topologyKey === constraint.topologyKey && whenUnsatisfiable === constraint.whenUnsatisfiable,
    );
    if (isRepeated) report.duplicate(`${field}.{topologyKey, whenUnsatisfiable}`, constraint.topologyKey);
    validateSpreadKeys(constraint, `${field}.matchLabelKeys`, report);
    validateSelector(constraint.labelSelector, `${field}.labelSelector`, report);
  });
  const gates = new Set<string>();
  spec.schedulingGates?.forEach(({ name = '' }, index) => {
    const field = `${at}.schedulingGates[${String(index)}]`;
    report.check(field, checkQualifiedName(name));
    if (gates.has(name)) report.duplicate(field, name);
    gates.add(name);
  });
}

type LabelKeys = Pick<PodAffinityTerm, 'matchLabelKeys' | 'mismatchLabelKeys' | 'labelSelector'>;

function validateSpreadKeys({ matchLabelKeys = [], labelSelector }: LabelKeys, at: string, report: Report): void {
  if (matchLabelKeys.length > 0 && !labelSelector) report.forbidden(at, 'needs a labelSelector');
  const selected = new Set([
    ...Object.keys(labelSelector?.matchLabels ?? {}),
    ...(labelSelector?.matchExpressions ?? []).map(({ key }) => key),
  ]);
  matchLabelKeys.forEach((key, index) => {
    report.check(`${at}[${String(index)}]`, checkQualifiedName(key));
    if (selected.has(key)) report.add(`${at}[${String(index)}]`, `${JSON.stringify(key)} is in labelSelector too`);
  });
}

/** Checks label keys whose values come from the pod itself. The API server adds them to the selector, so a key that is there twice was given twice. */
function validateAffinityKeys(term: LabelKeys, at: string, report: Report): void {
  const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = term;
  for (const [field, keys] of Object.entries({ matchLabelKeys, mismatchLabelKeys })) {
    if (keys.length > 0 && !labelSelector) report.forbidden(`${at}.${field}`, 'needs a labelSelector');
    else keys.forEach((key, index) => report.check(`${at}.${field}[${String(index)}]`, checkQualifiedName(key)));
  }
  const selected = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  for (const { key = '' } of labelSelector?.matchExpressions ?? []) {
    const index = matchLabelKeys.lastIndexOf(key);
    if (index >= 0 && selected.has(key)) report.add(`${at}[${String(index)}]`, `${JSON.stringify(key)} is given twice`);
    selected.add(key);
  }
  matchLabelKeys.forEach((key, index) => {
    if (mismatchLabelKeys.includes(key))
      report.add(`${at}.matchLabelKeys[${String(index)}]`, `${JSON.stringify(key)} is in mismatchLabelKeys too`);
  });
}

function validateAffinity({ nodeAffinity, podAffinity, podAntiAffinity }: Affinity, at: string, report: Report): void {
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required) {
    const field = `${at}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
    if (!required.nodeSelectorTerms?.length) report.required(field);
    required.nodeSelectorTerms?.forEach((term, index) =>
      validateNodeTerm(term, true, `${field}[${String(index)}]`, report),
    );
  }
  nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ weight, preference }, index) => {
    const field = `${at}.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[${String(index)}]`;
    validateWeight(weight, `${field}.weight`, report);
    validateNodeTerm(preference ?? {}, false, `${field}.preference`, report);
  });
  for (const [kind, affinity] of Object.entries({ podAffinity, podAntiAffinity })) {
    affinity?.requiredDuringSchedulingIgnoredDuringExecution?.forEach((term, index) =>
      validatePodTerm(term, `${at}.${kind}.requiredDuringSchedulingIgnoredDuringExecution[${String(index)}]`, report),
    );
    affinity?.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ weight, podAffinityTerm }, index) => {
      const field = `${at}.${kind}.preferredDuringSchedulingIgnoredDuringExecution[${String(index)}]`;
      validateWeight(weight, `${field}.weight`, report);
      validatePodTerm(podAffinityTerm ?? {}, `${field}.podAffinityTerm`, report);
    });
  }
}

function validateWeight(weight: number | undefined, at: string, report: Report): void {
  if (weight === undefined || weight < 1 || weight > 100) report.add(at, 'is not between 1 and 100');
}

/** Values that are no labels match no node; where a match is only preferred, the API server lets them pass. */
function validateNodeTerm(
  { matchExpressions, matchFields }: NodeSelectorTerm,
  checkValues: boolean,
  at: string,
  report: Report,
): void {
  matchExpressions?.forEach(({ key = '', operator, values }, index) => {
    const field = `${at}.matchExpressions[${String(index)}]`;
    report.check(`${field}.key`, checkQualifiedName(key));
    const count = values?.length ?? 0;
    if ((operator === 'In' || operator === 'NotIn') && count === 0) report.required(`${field}.values`);
    if ((operator === 'Exists' || operator === 'DoesNotExist') && count > 0)
      report.forbidden(`${field}.values`, `must be empty with ${operator}`);
    if ((operator === 'Gt' || operator === 'Lt') && count !== 1)
      report.required(`${field}.values`, `must be one value with ${operator}`);
    report.oneOf(`${field}.operator`, operator, ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']);
    if (!checkValues) return;
    values?.forEach((value, valueIndex) =>
      report.check(`${field}.values[${String(valueIndex)}]`, checkLabelValue(value)),
    );
  });
  matchFields?.forEach(({ key, operator, values }, index) => {
    const field = `${at}.matchFields[${String(index)}]`;
    report.oneOf(`${field}.key`, key, ['metadata.name']);
    report.oneOf(`${field}.operator`, operator, ['In', 'NotIn']);
    if (values?.length !== 1) report.required(`${field}.values`, 'must be one value');
    if (key !== 'metadata.name') return;
    values?.forEach((name, nameIndex) =>
      report.check(`${field}.values[${String(nameIndex)}]`, checkDnsSubdomain(name)),
    );
  });
}

function validatePodTerm(term: Partial<PodAffinityTerm>, at: string, report: Report): void {
  validateSelector(term.labelSelector, `${at}.labelSelector`, report);
  validateSelector(term.namespaceSelector, `${at}.namespaceSelector`, report);
  for (const name of term.namespaces ?? []) report.check(`${at}.namespace`, checkDnsLabel(name));
  validateAffinityKeys(term, at, report);
  if (!term.topologyKey) report.required(`${at}.topologyKey`);
  else report.check(`${at}.topologyKey`, checkQualifiedName(term.topologyKey));
}

function validateSelector(selector: LabelSelector | undefined, at: string, report: Report): void {
  validateLabels(selector?.matchLabels, `${at}.matchLabels`, report);
  selector?.matchExpressions?.forEach(({ key = '', operator, values }, index) => {
    const field = `${at}.matchExpressions[${String(index)}]`;
    const count = values?.length ?? 0;
    if ((operator === 'In' || operator === 'NotIn') && count === 0) report.required(`${field}.values`);
    if ((operator === 'Exists' || operator === 'DoesNotExist') && count > 0)
      report.forbidden(`${field}.values`, `must be empty with ${operator}`);
    report.oneOf(`${field}.operator`, operator, ['In', 'NotIn', 'Exists', 'DoesNotExist']);
    report.check(`${field}.key`, checkQualifiedName(key));
  });
}
