import { html } from 'lit';
import type { View } from '../view.ts';

export const nodeView: View = { show: () => html`` };
