{{- define "cambist.name" -}}
{{- if contains "cambist" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-cambist{{ end }}
{{- end }}

{{- define "cambist.selector" -}}
app.kubernetes.io/name: cambist
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "cambist.labels" -}}
{{ include "cambist.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "cambist.metadata" -}}
name: {{ include "cambist.name" . }}
labels: {{- include "cambist.labels" . | nindent 2 }}
{{- end }}
