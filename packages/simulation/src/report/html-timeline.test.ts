import { describe, expect, it } from 'vitest';
import type { RunResult } from '../run/run-plan.ts';
import { generatePlan } from '../workload/generate-plan.ts';
import { htmlReport } from './html-timeline.ts';
import { textTimeline } from './failure-report.ts';

const result: RunResult = {
  plan: { ...generatePlan(3), steps: [{ atMs: 1_000, step: { do: 'unset', name: '<script>alert(1)</script>' } }] },
  history: [
    { atMs: 1_000, kind: 'step', text: 'unset "<b>"' },
    { atMs: 61_500, kind: 'agent', change: 'killed' },
  ],
  violations: [{ property: 'single-instances', atMs: 2_000, text: "it's <bad> & broken" }],
  virtualMs: 100_000,
};
const context = { commit: 'abc<def', original: result };

describe('a report', () => {
  it('escapes whatever it shows, and loads nothing', () => {
    const html = htmlReport(result, context);
    expect(html).not.toMatch(/<script|<b>|<bad>|<def| src=| href=/);
    expect(html).toContain('it&#39;s &lt;bad&gt; &amp; broken');
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).toContain("default-src 'none'");
  });

  it('shows violations in their places on the timeline', () => {
    expect(textTimeline(result)).toEqual([
      '00:01.000 world   unset "<b>"',
      "00:02.000 FAILED  single-instances: it's <bad> & broken",
      '01:01.500 agent   agent killed',
    ]);
  });
});
