import type { Container, ContainerStatus, Pod } from '@rxlet/kube-api';
import { html, nothing, type TemplateResult } from 'lit';
import { formatSince } from '../age.ts';
import { tablePanel } from './table-panel.ts';
import { printable } from '../printable.ts';
import { SIGNS, type Tone } from '../tone.ts';
import { formatBytes, formatCpu, type PodUse } from '../use.ts';

/** The containers of a pod and its conditions. */
export function podContainers({ spec, status }: Pod, use: PodUse | undefined, nowMs: number): TemplateResult {
  const groups: readonly (readonly [string, readonly Container[], readonly ContainerStatus[]])[] = [
    ['Init containers', spec?.initContainers ?? [], status?.initContainerStatuses ?? []],
    ['Containers', spec?.containers ?? [], status?.containerStatuses ?? []],
    ['Ephemeral containers', spec?.ephemeralContainers ?? [], status?.ephemeralContainerStatuses ?? []],
  ];
  return html`
    ${groups
      .filter(([, containers]) => containers.length > 0)
      .map(
        ([title, containers, statuses]) => html`
          <h2 class="group">${title}</h2>
          <div class="cards">
            ${containers.map((container) =>
              card(
                container,
                statuses.find(({ name }) => name === container.name),
                use,
                nowMs,
              ),
            )}
          </div>
        `,
      )}
    <h2 class="group">Conditions</h2>
    ${tablePanel(
      'Conditions',
      ['Type', 'Status', 'Since', 'Reason', 'Message'],
      (status?.conditions ?? []).map(
        ({ type, status: value, lastTransitionTime, reason = '', message = '' }) =>
          html`<tr>
            <td>${printable(type)}</td>
            <td>${printable(value)}</td>
            <td>${formatSince(lastTransitionTime, nowMs)}</td>
            <td>${printable(reason)}</td>
            <td class="wide">${printable(message)}</td>
          </tr>`,
      ),
    )}
  `;
}

function card(
  { name, image = '', resources }: Container,
  status: ContainerStatus | undefined,
  use: PodUse | undefined,
  nowMs: number,
): TemplateResult {
  const { tone, word, detail } = stateOf(status, nowMs);
  const used = use?.containers?.find((container) => container.name === name);
  const nanos = used?.cpu?.usageNanoCores;
  const last = status?.lastState?.terminated;
  const limits = status?.resources?.limits ?? resources?.limits;
  const requests = status?.resources?.requests ?? resources?.requests;
  return html`<section class="panel card" aria-label=${printable(name)}>
    <h3>
      ${printable(name)}
      <span class="word ${tone}"><span class="sign" aria-hidden="true">${SIGNS[tone]}</span>${printable(word)}</span>
    </h3>
    <p class="mono image">${printable(image)}</p>
    ${detail === undefined ? nothing : html`<p class="detail">${printable(detail)}</p>`}
    <dl class="facts">
      <div>
        <dt>Ready</dt>
        <dd>${status?.ready === true ? 'yes' : 'no'}</dd>
      </div>
      <div>
        <dt>Restarts</dt>
        <dd>${status?.restartCount ?? 0}</dd>
      </div>
      ${
        last === undefined
          ? nothing
          : html`<div>
              <dt>Last exit</dt>
              <dd>
                ${printable(String(last.exitCode))} ${printable(last.reason ?? '')},
                ${formatSince(last.finishedAt, nowMs)} ago
              </dd>
            </div>`
      }
    </dl>
    <table class="amounts">
      <thead>
        <tr>
          <th scope="col"><span class="visually-hidden">Resource</span></th>
          <th scope="col">Use</th>
          <th scope="col">Request</th>
          <th scope="col">Limit</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">CPU</th>
          <td>${formatCpu(nanos === undefined ? undefined : nanos / 1e6)}</td>
          <td>${printable(String(requests?.['cpu'] ?? '–'))}</td>
          <td>${printable(String(limits?.['cpu'] ?? '–'))}</td>
        </tr>
        <tr>
          <th scope="row">Memory</th>
          <td>${formatBytes(used?.memory?.workingSetBytes)}</td>
          <td>${printable(String(requests?.['memory'] ?? '–'))}</td>
          <td>${printable(String(limits?.['memory'] ?? '–'))}</td>
        </tr>
      </tbody>
    </table>
  </section>`;
}

function stateOf(
  status: ContainerStatus | undefined,
  nowMs: number,
): { readonly tone: Tone; readonly word: string; readonly detail?: string | undefined } {
  const { running, terminated, waiting } = status?.state ?? {};
  if (running !== undefined) {
    const word = `running for ${formatSince(running.startedAt, nowMs)}`;
    return { tone: status?.ready === true ? 'ok' : 'warn', word };
  }
  if (terminated !== undefined) {
    const { exitCode, reason = '', message, finishedAt } = terminated;
    const word = `${reason === '' ? 'exited' : reason} (exit code ${String(exitCode)}), ${formatSince(finishedAt, nowMs)} ago`;
    return { tone: exitCode === 0 ? 'idle' : 'bad', word, detail: message };
  }
  const { reason = 'waiting', message } = waiting ?? {};
  const tone = /^(?:ContainerCreating|PodInitializing|waiting)$/.test(reason) ? 'busy' : 'bad';
  return { tone, word: reason, detail: message };
}
