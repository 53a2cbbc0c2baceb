import { describeModel, operation } from './semconv.ts';
import type { Spanned } from './span-attributes.ts';

/** What a span is called: few names, so that backends can group by them. */
export function spanName(activity: Spanned): string {
  switch (activity.kind) {
    case 'run':
      return `${operation.agent} ${activity.info.agent}`;
    case 'model':
      return `${operation.chat} ${describeModel(activity.request.model.id).model}`;
    case 'tool': {
      const { call, skill } = activity;
      return `${operation.tool} ${call.name}${skill === undefined ? '' : ` ${skill}`}`;
    }
    case 'layer':
      return `${activity.tap.hook} ${activity.tap.plugin}`;
  }
}
