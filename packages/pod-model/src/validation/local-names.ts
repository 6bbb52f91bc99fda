import type { Pod } from '@rxlet/kube-api';
import { checkDnsLabel } from './names.ts';
import type { Report } from './report.ts';

/** Checks what a pod of any source needs to run on a node: containers, and names of containers and volumes that may be elements of paths. */
export function validateLocalNames({ spec }: Pod, report: Report): void {
  if ((spec?.containers ?? []).length === 0) report.required('spec.containers');
  const containers = new Set<string>();
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const)
    checkNames(spec?.[list] ?? [], `spec.${list}`, containers, report);
  checkNames(spec?.volumes ?? [], 'spec.volumes', new Set(), report);
}

function checkNames(
  items: readonly { readonly name?: string | undefined }[],
  at: string,
  seen: Set<string>,
  report: Report,
): void {
  items.forEach(({ name }, index) => {
    const field = `${at}[${String(index)}].name`;
    if (!name) return report.required(field);
    report.check(field, checkDnsLabel(name));
    if (seen.has(name)) report.duplicate(field, name);
    seen.add(name);
  });
}
