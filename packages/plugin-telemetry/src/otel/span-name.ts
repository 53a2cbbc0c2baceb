import { describeModel } from './describe-model.ts';
import { operation } from './semconv.ts';
import type { Spanned } from './span-attributes.ts';

/** Returns the name of a span: few different names, so backends can group by them. Foreign text passes `redact`. */
export function spanName(activity: Spanned, redact: (text: string) => string): string {
  switch (activity.kind) {
    case 'run':
      return `${operation.agent} ${redact(activity.info.agent)}`;
    case 'model':
      return `${operation.chat} ${redact(describeModel(activity.request.model.id).model)}`;
    case 'tool': {
      const { call, skill } = activity;
      return `${operation.tool} ${redact(skill === undefined ? call.name : `${call.name} ${skill}`)}`;
    }
    case 'layer':
      return `${activity.tap.hook} ${redact(activity.tap.plugin)}`;
  }
}
